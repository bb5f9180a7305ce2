import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContextOptions,
  chromium as playwright,
  type Locator,
  type Page,
} from "playwright-core";

/** Without web security a browser sends no Origin; with a single process it ends with its first page. */
const UNLIKE_PEOPLE = new Set(["--disable-web-security", "--single-process", "--no-zygote"]);

/** A browser without a window. */
export async function launchBrowser(): Promise<Browser> {
  return await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((arg) => !UNLIKE_PEOPLE.has(arg)), "--no-sandbox"],
    headless: true,
  });
}

export interface FileToSend {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The chat page, as a person uses it. */
export interface ChatPage {
  readonly page: Page;
  readonly box: Locator;
  /** The bot's messages. */
  readonly answers: Locator;
  /** One's own. */
  readonly own: Locator;
  say(text: string): Promise<void>;
  /** Attaches files to what is being written. */
  choose(files: readonly FileToSend[]): Promise<void>;
}

export async function openChat(
  browser: Browser,
  link: string,
  look: BrowserContextOptions = {},
): Promise<ChatPage> {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  await page.goto(link);
  const box = page.locator(".composer textarea");
  await box.waitFor();
  return {
    page,
    box,
    answers: page.locator(".row.theirs"),
    own: page.locator(".row.mine"),
    async say(text) {
      await box.fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    },
    async choose(files) {
      await page
        .locator("input[type=file]")
        .setInputFiles(
          files.map(({ name, type, bytes }) => ({ name, mimeType: type, buffer: Buffer.from(bytes) })),
        );
    },
  };
}
