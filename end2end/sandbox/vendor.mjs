// Proves the sandbox with SendGrid's own clients: what they send must be kept as sent, and what
// they read must have the shape they expect.
//
//   denpyo sandbox --listen 127.0.0.1:4010 &
//   SANDBOX_URL=http://127.0.0.1:4010 node --test end2end/sandbox/vendor.mjs

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, beforeEach, test } from 'node:test';
import sendgridClient from '@sendgrid/client';
import sendgridMail from '@sendgrid/mail';

const { Client } = sendgridClient;
const { MailService } = sendgridMail;
const url = process.env.SANDBOX_URL;

const client = (key = 'SG.vendor-proof') => {
  const made = new Client();
  if (key) made.setApiKey(key);
  made.setDefaultRequest('baseUrl', `${url}/`);
  return made;
};

const service = (key) => {
  const made = new MailService();
  made.setClient(client(key));
  return made;
};

const mail = (changes = {}) => ({
  to: 'a..b.@example.ne.jp',
  from: { email: 'order@example.com', name: '株式会社サンプル, 受注係' },
  replyTo: 'info@example.com',
  subject: 'ご注文①㈱髙𠮷ありがとうございます',
  text: '本文\r\n二行目',
  html: '<p>本文</p>',
  customArgs: { ref: randomUUID(), order_id: '1001', attempt: '1', installation: 'shop-1' },
  ...changes,
});

const kept = async (ref) => {
  const answer = await fetch(`${url}/_sandbox/messages?ref=${ref}`);
  return (await answer.json()).messages;
};

const setFaults = async (faults) => {
  const body = JSON.stringify(faults);
  const answer = await fetch(`${url}/_sandbox/faults`, { method: 'PUT', body });
  assert.equal(answer.status, 200);
};

before(() => assert.ok(url, 'SANDBOX_URL names the sandbox'));
beforeEach(() => setFaults({}));

test('a mail is accepted and kept as sent', async () => {
  const sent = mail();
  const [answer] = await service().send(sent);
  assert.equal(answer.statusCode, 202);
  assert.equal(answer.body, '');
  const id = answer.headers['x-message-id'];
  assert.ok(id);
  for (const name of ['limit', 'remaining', 'reset']) {
    assert.match(answer.headers[`x-ratelimit-${name}`], /^\d+$/);
  }
  const [message, ...more] = await kept(sent.customArgs.ref);
  assert.deepEqual(more, []);
  assert.equal(message.message_id, id);
  assert.ok(message.sg_message_id.startsWith(id));
  assert.deepEqual(message.to, { email: sent.to });
  assert.deepEqual(message.from, sent.from);
  assert.deepEqual(message.reply_to, { email: sent.replyTo });
  assert.equal(message.subject, sent.subject);
  assert.deepEqual(message.content, [
    { type: 'text/plain', value: sent.text },
    { type: 'text/html', value: sent.html },
  ]);
  assert.deepEqual(message.custom_args, sent.customArgs);
});

const refusal = async (sending) => {
  const error = await sending.then(
    () => assert.fail('it was accepted'),
    (reason) => reason,
  );
  assert.equal(error.constructor.name, 'ResponseError');
  const [first] = error.response.body.errors;
  assert.equal(typeof first.message, 'string');
  assert.ok('field' in first && 'help' in first);
  return { code: error.code, field: first.field, headers: error.response.headers };
};

test('a bad mail is refused with 400, naming the field', async () => {
  const bad = mail({ to: 'nobody' });
  const { code, field } = await refusal(service().send(bad));
  assert.deepEqual([code, field], [400, 'personalizations.0.to.0.email']);
  assert.deepEqual(await kept(bad.customArgs.ref), []);
});

test('a request without a key is refused with 401', async () => {
  for (const request of [
    { method: 'POST', url: '/v3/mail/send', body: {} },
    { method: 'POST', url: '/v3/logs', body: {} },
    { method: 'GET', url: '/v3/messages' },
  ]) {
    assert.equal((await refusal(client('').request(request))).code, 401, request.url);
  }
});

test('faults reach the client as the service would show them', async () => {
  await setFaults({ refuse_429: 1 });
  const limited = mail();
  const { code, headers } = await refusal(service().send(limited));
  assert.deepEqual([code, headers['x-ratelimit-remaining']], [429, '0']);
  assert.deepEqual(await kept(limited.customArgs.ref), []);

  await setFaults({ accept_then_500: 1 });
  const lost = mail();
  assert.equal((await refusal(service().send(lost))).code, 500);
  assert.equal((await kept(lost.customArgs.ref)).length, 1);

  await setFaults({ accept_then_close: 1 });
  const cut = mail();
  await assert.rejects(service().send(cut), (error) => error.response === undefined);
  assert.equal((await kept(cut.customArgs.ref)).length, 1);
});

test('Email Activity finds a mail by its reference and by its id', async () => {
  const sent = mail();
  const [answer] = await service().send(sent);
  const id = answer.headers['x-message-id'];
  const { ref } = sent.customArgs;
  for (const query of [
    `unique_args['ref']="${ref}"`,
    `msg_id LIKE '${id}%'`,
    `to_email="${sent.to}" AND unique_args['ref']="${ref}"`,
  ]) {
    const qs = { query, limit: 10 };
    const [found] = await client().request({ method: 'GET', url: '/v3/messages', qs });
    assert.equal(found.statusCode, 200);
    assert.equal(found.body.messages.length, 1, query);
    const [message] = found.body.messages;
    assert.ok(message.msg_id.startsWith(id));
    assert.deepEqual(
      [message.to_email, message.from_email, message.subject],
      [sent.to, sent.from.email, sent.subject],
    );
  }
});

test('Email Logs find it by recipient and time, and show its reference one by one', async () => {
  const start = new Date(Date.now() - 60_000).toISOString();
  const sent = mail({ to: `${randomUUID()}@example.com` });
  const [answer] = await service().send(sent);
  const query = `to_email="${sent.to}" AND sg_message_id_created_at > TIMESTAMP "${start}"`;
  const body = { query, limit: 1000 };
  const [found] = await client().request({ method: 'POST', url: '/v3/logs', body });
  assert.equal(found.body.messages.length, 1);
  const [line] = found.body.messages;
  assert.ok(line.sg_message_id.startsWith(answer.headers['x-message-id']));
  assert.equal(line.custom_args, undefined);
  assert.ok(Date.parse(line.sg_message_id_created_at) > Date.parse(start));

  const one = { method: 'GET', url: `/v3/logs/${encodeURIComponent(line.sg_message_id)}` };
  const [shown] = await client().request(one);
  assert.deepEqual(shown.body.custom_args, sent.customArgs);

  const wrong = { method: 'POST', url: '/v3/logs', body: { query: "custom_args='x'" } };
  assert.equal((await refusal(client().request(wrong))).code, 400);
});
