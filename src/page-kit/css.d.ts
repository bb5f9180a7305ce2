/** The bundler takes styles out of the script. */
declare module "*.css";
