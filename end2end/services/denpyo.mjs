// A Denpyo of its own, on SQLite in a temporary folder, for the proofs beside this file. Each runs
// by itself too:
//
//   DENPYO_BIN=target/debug/denpyo node --test end2end/services/resend.mjs

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const BIN = resolve(process.env.DENPYO_BIN ?? join(import.meta.dirname, '../../target/release/denpyo'));
const TOKEN = 'token-of-the-proofs';

/** A port that is free for now, for programs that do not tell which one they took. */
export const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** Asks until there is an answer. */
export const eventually = async (what, ask) => {
  for (let i = 0; i < 600; i += 1) {
    const answer = await ask().catch(() => undefined);
    if (answer) return answer;
    await pause(50);
  }
  return assert.fail(`still not: ${what}`);
};

/** A service that keeps every request, and answers each so. */
export const recorder = async (answer) => {
  const requests = [];
  const server = createHttp((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, requests, stop: () => server.close() };
};

/** Starts `denpyo serve` with these settings, names without their prefix. */
export const denpyo = async (settings) => {
  const folder = mkdtempSync(join(tmpdir(), 'denpyo-proof-'));
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('DENPYO_'));
  const all = {
    DATABASE_URL: 'sqlite:denpyo.db',
    LISTEN: '127.0.0.1:0',
    API_TOKEN: TOKEN,
    FROM: '株式会社サンプル, 受注係 <order@example.com>',
    POLL_INTERVAL: '50ms',
    ...settings,
  };
  const own = Object.entries(all).map(([name, value]) => [`DENPYO_${name}`, value]);
  const env = Object.fromEntries([...others, ...own]);
  const child = spawn(BIN, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`denpyo ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^Denpyo is at (.*)$/.exec(line);
      if (found) done(found[1]);
    });
  });
  const api = async (path, init = {}) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${address}/api/v1/submissions${path}`, { headers, ...init });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return answer.json();
  };
  return {
    /** Hands a mail over; its row. */
    enqueue: (mail) => api('', { method: 'POST', body: JSON.stringify(mail) }),
    row: (id) => api(`/${id}`),
    synced: (id) =>
      eventually(`${id} is synced`, async () => {
        const row = await api(`/${id}`);
        return row.status === 'synced' && row;
      }),
    /** Posts events; the status of the answer. */
    tell: async (service, headers, body) => {
      const answer = await fetch(`${address}/webhooks/${service}`, { method: 'POST', headers, body });
      return answer.status;
    },
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
};

export const mail = (order) => ({
  order_id: order,
  kind: 'order_confirmation',
  recipient: 'a@example.jp',
  subject: 'ご注文①㈱髙𠮷ありがとうございます',
  body_text: '本文\r\n二行目',
  body_html: '<p>本文</p>',
  reply_to: 'Sample Co. <info@example.com>',
});
