import fc from "fast-check";

/*
 * Every run draws new inputs for the properties, except where PROPERTY_SEED names the seed: CI does, so that a commit
 * passes or fails for what it changes, and not for an input that nobody had drawn before.
 */
const seed = process.env["PROPERTY_SEED"];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
