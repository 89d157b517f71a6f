// Lighthouse, desktop preset, over the main pages of a demo, in both languages. Prints a table, writes
// the reports into FOLDER, and ends with 1 where a goal is missed.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';

const BIN = process.env.DENPYO_BIN;
const FOLDER = process.env.FOLDER;
const GOALS = { performance: 95, accessibility: 100, 'best-practices': 100 };
const FLAGS = ['--headless=new', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic', '--disable-gpu'];
if (process.getuid?.() === 0) FLAGS.push('--no-sandbox');

/** A desk full of sample mails, and its address. */
async function demo(cwd) {
  const child = spawn(BIN, ['demo', '--listen', '127.0.0.1:0'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  const address = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`denpyo demo ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line);
      if (found) resolve(found[1]);
    });
  });
  return { address, child };
}

/** The cookies of somebody who has signed in. */
async function signedIn(desk, name, language) {
  const answer = await fetch(`${desk}/session`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: desk },
    body: new URLSearchParams({ name, password: `demo-${name}` }),
  });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  if (cookies.length === 0) throw new Error(`signing in was answered with ${answer.status}`);
  return [...cookies, `lang=${language}`].join('; ');
}

/** The address of the first mail of a list. */
async function firstMail(desk, Cookie) {
  const page = await (await fetch(`${desk}/submissions?status=failed`, { headers: { Cookie } })).text();
  return /href="(\/submissions\/\d+)"/.exec(page)[1];
}

const folder = mkdtempSync(join(tmpdir(), 'denpyo-'));
const { address, child } = await demo(folder);
const chrome = await launch({ chromePath: process.env.CHROMIUM ?? '/usr/bin/chromium', chromeFlags: FLAGS });
let missed = 0;
mkdirSync(FOLDER, { recursive: true });
try {
  console.log('page           lang  performance  accessibility  best-practices');
  for (const language of ['ja', 'en']) {
    const Cookie = await signedIn(address, 'lead1', language);
    const pages = { overview: '/', list: '/submissions', detail: await firstMail(address, Cookie), report: '/reports' };
    for (const [name, path] of Object.entries(pages)) {
      const { lhr } = await lighthouse(
        address + path,
        { port: chrome.port, onlyCategories: Object.keys(GOALS), extraHeaders: { Cookie }, disableStorageReset: true, logLevel: 'error' },
        desktopConfig,
      );
      const scores = Object.entries(GOALS).map(([category, goal]) => {
        const score = Math.round((lhr.categories[category].score ?? 0) * 100);
        if (score < goal) missed += 1;
        return `${score}${score < goal ? ` < ${goal}` : ''}`;
      });
      // A page that asked for the sign-in would be the wrong page measured.
      if (new URL(lhr.finalDisplayedUrl).pathname !== path) throw new Error(`${path} led to ${lhr.finalDisplayedUrl}`);
      writeFileSync(join(FOLDER, `${name}.${language}.json`), JSON.stringify(lhr, null, 1));
      console.log(`${name.padEnd(15)}${language.padEnd(6)}${scores[0].padStart(11)}  ${scores[1].padStart(13)}  ${scores[2].padStart(14)}`);
    }
  }
} finally {
  await chrome.kill();
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed === 0 ? 0 : 1;
