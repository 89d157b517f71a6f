// Proves the sending through Resend with Resend's own client and an emulator of its API, and the
// checking of its events with Svix's own library.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { Resend } from 'resend';
import { Webhook } from 'svix';
import { denpyo, eventually, freePort, mail, recorder } from './denpyo.mjs';

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const started = [];
const keep = (thing) => {
  started.push(thing);
  return thing;
};
after(() => Promise.all(started.reverse().map((thing) => thing.stop())));

const desk = async (url) =>
  keep(await denpyo({ PROVIDER: 'resend', PROVIDER_URL: url, PROVIDER_KEY: 're_key', WEBHOOK_KEY: SECRET }));
const client = (url) => new Resend('re_key', { baseUrl: url });

test("the emulator keeps the mail, and the vendor's client reads it", async () => {
  const port = await freePort();
  const home = dirname(createRequire(import.meta.url).resolve('resend-local/package.json'));
  const env = { ...process.env, PORT: String(port), HOSTNAME: '127.0.0.1', DATABASE_URL: 'file:resend-local.sqlite' };
  const emulator = spawn('node', ['server.js'], { cwd: join(home, 'dist/app'), env, stdio: 'ignore' });
  keep({ stop: () => emulator.kill() });
  const url = `http://127.0.0.1:${port}`;
  await eventually('the emulator answers', () => fetch(url));
  const { enqueue, synced } = await desk(url);
  const sent = mail('1001');
  const { id } = await enqueue(sent);
  const row = await synced(id);
  assert.ok(row.provider_message_id, JSON.stringify(row));
  const { data: kept, error } = await client(url).emails.get(row.provider_message_id);
  assert.equal(error, null);
  assert.equal(kept.subject, sent.subject);
  assert.equal(kept.html, sent.body_html);
  assert.equal(kept.text, sent.body_text);
  assert.deepEqual([kept.to].flat(), [sent.recipient]);
  assert.match(kept.from, /order@example\.com/);
});

test("the request is the vendor's own client's", async () => {
  const service = keep(await recorder({ id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }));
  const { enqueue, synced } = await desk(service.url);
  const sent = mail('1001');
  const { id, ref } = await enqueue(sent);
  const row = await synced(id);
  assert.equal(row.provider_message_id, '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794');
  const ours = service.requests.pop();
  const { tags } = JSON.parse(ours.body);
  const { error } = await client(service.url).emails.send(
    {
      from: '"株式会社サンプル, 受注係" <order@example.com>',
      to: [sent.recipient],
      subject: sent.subject,
      html: sent.body_html,
      text: sent.body_text,
      replyTo: '"Sample Co." <info@example.com>',
      headers: { 'X-Denpyo-Ref': ref },
      tags: [
        { name: 'ref', value: ref },
        { name: 'attempt', value: '1' },
        { name: 'order_id', value: '1001' },
        { name: 'installation', value: tags.at(-1).value },
      ],
    },
    { idempotencyKey: `${ref}/1` },
  );
  assert.equal(error, null);
  const theirs = service.requests.pop();
  assert.deepEqual([ours.method, ours.url], [theirs.method, theirs.url]);
  for (const name of ['authorization', 'content-type', 'idempotency-key']) {
    assert.equal(ours.headers[name], theirs.headers[name], name);
  }
  assert.deepEqual(JSON.parse(ours.body), JSON.parse(theirs.body));
});

test("what Svix signs is taken, and nothing else", async () => {
  const { enqueue, row, tell } = await desk('http://127.0.0.1:9');
  const { id, ref } = await enqueue(mail('1001'));
  const body = JSON.stringify({
    type: 'email.delivered',
    created_at: new Date().toISOString(),
    data: { email_id: '49a3999c', to: ['a@example.jp'], subject: 'ご注文', tags: { ref, attempt: '1' } },
  });
  const svix = new Webhook(SECRET);
  const now = new Date();
  const headers = (signature) => ({
    'svix-id': 'msg_1',
    'svix-timestamp': String(Math.floor(now.getTime() / 1000)),
    'svix-signature': signature,
  });
  const ours = svix.sign('msg_1', now, body);
  const others = new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').sign('msg_1', now, body);
  for (const [signature, text] of [[others, body], [ours, `${body} `], ['v1,AAAA', body]]) {
    assert.throws(() => svix.verify(text, headers(signature)));
    assert.equal(await tell('resend', headers(signature), text), 401);
  }
  for (const signature of [`${others} ${ours}`, ours]) {
    svix.verify(body, headers(signature));
    assert.equal(await tell('resend', headers(signature), body), 200);
  }
  const { status, settled_by, delivery_state } = await row(id);
  assert.deepEqual([status, settled_by, delivery_state], ['synced', 'webhook', 'delivered']);
});
