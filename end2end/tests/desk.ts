import { test as base, expect, type Browser, type Page } from '@playwright/test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The program under test. */
const BIN = process.env.DENPYO_BIN ?? join(import.meta.dirname, '../../target/release/denpyo');
export const TOKEN = 'end2end-token';
export const PASSWORD = 'ひみつ secret';
export type Role = 'support' | 'lead' | 'admin';

/** The environment without anybody's own settings. */
function cleaned(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('DENPYO_'));
  return Object.fromEntries(entries) as Record<string, string>;
}

/** A process of ours, and the address that it prints. */
class Running {
  private constructor(private readonly child: ChildProcess, readonly lines: string[], readonly address: string) {}

  static start(args: string[], env: Record<string, string>, cwd: string, marker: RegExp): Promise<Running> {
    const child = spawn(BIN, args, { cwd, env: { ...cleaned(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const log: string[] = [];
    createInterface({ input: child.stderr! }).on('line', (line) => log.push(line));
    return new Promise((resolve, reject) => {
      const lines: string[] = [];
      child.once('exit', (code) => reject(new Error(`denpyo ${args.join(' ')} ended with ${code}\n${log.join('\n')}`)));
      createInterface({ input: child.stdout! }).on('line', (line) => {
        lines.push(line);
        const found = marker.exec(line);
        if (found) resolve(new Running(child, lines, found[1]!));
      });
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}

export interface Mail {
  order_id: string;
  kind?: string;
  recipient?: string;
  subject?: string;
  body_text?: string;
  body_html?: string;
  not_before?: string;
}

/** A desk of its own: SQLite, the sandbox as service, one person of each role. */
export class Desk {
  private constructor(
    readonly url: string,
    readonly service: string,
    private parts: Running[],
    private readonly folder: string,
    private readonly env: Record<string, string>,
  ) {}

  /** With settings of its own beside those that every desk has. */
  static async start(more: Record<string, string> = {}): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'denpyo-'));
    const sandbox = await Running.start(['sandbox', '--listen', '127.0.0.1:0'], {}, folder, /sandbox is at (\S+)/);
    const env = {
      DENPYO_LISTEN: '127.0.0.1:0',
      DENPYO_PROVIDER: 'sendgrid',
      DENPYO_PROVIDER_URL: sandbox.address,
      DENPYO_PROVIDER_KEY: 'SG.end2end',
      DENPYO_FROM: '株式会社サンプル, 受注係 <order@example.jp>',
      DENPYO_API_TOKEN: TOKEN,
      DENPYO_REQUEST_TIMEOUT: '1s',
      DENPYO_LEASE: '2500ms',
      DENPYO_POLL_INTERVAL: '50ms',
      ...more,
    };
    for (const role of ['support', 'lead', 'admin']) {
      execFileSync(BIN, ['user', 'add', `${role}1`, '--role', role], { cwd: folder, env: { ...cleaned(), ...env }, input: PASSWORD, stdio: ['pipe', 'ignore', 'inherit'] });
    }
    const site = await Running.start(['serve'], env, folder, /Denpyo is at (\S+)/);
    return new Desk(site.address, sandbox.address, [site, sandbox], folder, env);
  }

  async stop(): Promise<void> {
    for (const part of this.parts) await part.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async api(path: string, init: RequestInit = {}): Promise<any> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const response = await fetch(`${this.url}/api/v1${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** Hands a mail over; returns its id. */
  async post(mail: Mail): Promise<number> {
    const whole = { kind: 'order_confirmation', recipient: 'a@example.com', subject: 'ご注文ありがとうございます', body_text: '本文', ...mail };
    return (await this.api('/submissions', { method: 'POST', body: JSON.stringify(whole) })).id;
  }

  async mail(id: number): Promise<any> {
    return this.api(`/submissions/${id}`);
  }

  /** Sends a mail again, as a program of the shop's would. */
  async resend(id: number): Promise<void> {
    await this.api(`/submissions/${id}/resend`, { method: 'POST', body: '{}' });
  }

  /** Stops the site, and starts it again at the same address. */
  async restart(between: () => Promise<void>): Promise<void> {
    const [site, ...others] = this.parts;
    await site!.stop();
    await between();
    const env = { ...this.env, DENPYO_LISTEN: new URL(this.url).host };
    this.parts = [await Running.start(['serve'], env, this.folder, /Denpyo is at (\S+)/), ...others];
  }

  /** Waits until a mail satisfies a condition. */
  async until(id: number, what: string, holds: (mail: any) => boolean): Promise<any> {
    let mail: any;
    await expect.poll(async () => holds((mail = await this.mail(id))), { message: `mail ${id} is ${what}`, timeout: 15_000 }).toBe(true);
    return mail;
  }

  /** Has the service misbehave; `{}` has it behave. */
  async faults(faults: Record<string, number>): Promise<void> {
    const response = await fetch(`${this.service}/_sandbox/faults`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(faults) });
    if (!response.ok) throw new Error(await response.text());
  }

  /** How many mails the service accepted for an order. */
  async accepted(order: string): Promise<number> {
    const { messages } = (await (await fetch(`${this.service}/_sandbox/messages`)).json()) as { messages: any[] };
    return messages.filter((message) => message.custom_args?.order_id === order).length;
  }

  /** A mail that the service refused, and then behaves again. */
  async refused(order: string, more: Partial<Mail> = {}): Promise<number> {
    await this.faults({ refuse_400: 1 });
    const id = await this.post({ order_id: order, ...more });
    await this.until(id, 'refused', (mail) => mail.status === 'rejected');
    await this.faults({});
    return id;
  }

  /**
   * A mail that the service took without an answer and does not show yet: it was asked once, and is asked again
   * minutes later. Then the service behaves again.
   */
  async unanswered(order: string, more: Partial<Mail> = {}): Promise<number> {
    await this.faults({ accept_then_hang: 1, index_delay_ms: 3_600_000 });
    const id = await this.post({ order_id: order, ...more });
    await this.until(id, 'asked about', (mail) => mail.status === 'requesting' && mail.lookup?.asked >= 1 && mail.observations.length > 0);
    await this.faults({});
    return id;
  }

  /** A mail that is decided, and put on hold together with whatever else could be sent. */
  async held(order: string, more: Partial<Mail> = {}): Promise<number> {
    // Far off, so that no worker is quicker than the hold, and none sends it once it is let go.
    const id = await this.post({ order_id: order, not_before: '2090-01-01T00:00:00Z', ...more });
    this.hold();
    return id;
  }

  /** `denpyo hold`. */
  hold(reason: string = '請求額の確認が終わるまで'): void {
    execFileSync(BIN, ['hold', '--reason', reason], { cwd: this.folder, env: { ...cleaned(), ...this.env }, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** A desk full of sample mails. */
  static async demo(): Promise<{ url: string; people: Record<Role, string>; stop: () => Promise<void> }> {
    const folder = mkdtempSync(join(tmpdir(), 'denpyo-'));
    // The address is the last thing that the demo prints before it serves.
    const running = await Running.start(['demo', '--listen', '127.0.0.1:0'], {}, folder, /(http:\/\/127\.0\.0\.1:\d+)/);
    const stop = async () => {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    return { url: running.address, people: { support: 'support1', lead: 'lead1', admin: 'admin1' }, stop };
  }
}

export async function signIn(page: Page, url: string, name: string, password: string = PASSWORD): Promise<void> {
  await page.goto(`${url}/login`);
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=password]').fill(password);
  await page.locator('main button[type=submit]').click();
  await expect(page).toHaveURL(`${url}/`);
}

/** Whatever a browser complains about, hydration included. */
export function complaints(page: Page): string[] {
  const heard: string[] = [];
  page.on('console', (message) => {
    // The sign-in pages of a provider in a test, which nobody here wrote.
    if (message.location().url.includes('/interaction/')) return;
    // The driver's own script, which it would put into every frame; the mail's may run none.
    if (/^Blocked script execution in '[^']+\/body'/.test(message.text())) return;
    // A page whose stream was ended asks whether it is signed in still; a no is repeated by the console.
    if (/\/_desk\/frame\b/.test(message.location().url) && / 401 /.test(message.text())) return;
    heard.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => heard.push(`error: ${error.message}`));
  return heard;
}

/** Waits until the page's scripts are at work. */
export async function awake(page: Page): Promise<void> {
  await page.locator('html[data-awake]').waitFor({ state: 'attached' });
}

/** A person with a browser of their own. */
export async function person(browser: Browser, desk: Desk, name: string, options = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'ja-JP', ...options });
  const page = await context.newPage();
  await signIn(page, desk.url, name);
  return page;
}

export type Demo = Awaited<ReturnType<typeof Desk.demo>>;

export const test = base.extend<{ quiet: void }, { desk: Desk; demo: Demo }>({
  desk: [
    async ({}, use) => {
      const desk = await Desk.start();
      await use(desk);
      await desk.stop();
    },
    { scope: 'worker' },
  ],
  // Started where a test asks for it.
  demo: [
    async ({}, use) => {
      const demo = await Desk.demo();
      await use(demo);
      await demo.stop();
    },
    { scope: 'worker' },
  ],
  // Every test of a page fails on anything that its console says.
  quiet: [
    async ({ page }, use) => {
      const heard = complaints(page);
      await use();
      expect(heard).toEqual([]);
    },
    { auto: true },
  ],
});
export { expect };
