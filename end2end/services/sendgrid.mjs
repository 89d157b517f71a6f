// Proves the checking of SendGrid's events with SendGrid's own library: what it finds good is
// taken, what it finds bad is refused.

import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { after, before, test } from 'node:test';
import eventwebhook from '@sendgrid/eventwebhook';
import ecdsa from 'starkbank-ecdsa';
import { denpyo, mail } from './denpyo.mjs';

const { EventWebhook, EventWebhookHeader } = eventwebhook;
const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const vendor = new EventWebhook();
const finds = (body, signature, timestamp) =>
  vendor.verifySignature(vendor.convertPublicKeyToECDSA(key), body, signature, timestamp);

let desk;
before(async () => {
  desk = await denpyo({
    PROVIDER: 'sendgrid',
    PROVIDER_URL: 'http://127.0.0.1:9',
    PROVIDER_KEY: 'SG.key',
    WEBHOOK_KEY: key,
  });
});
after(() => desk.stop());

const headers = (signature, timestamp) => ({
  [EventWebhookHeader.SIGNATURE()]: signature,
  [EventWebhookHeader.TIMESTAMP()]: timestamp,
});

const event = (ref, kind) => ({
  email: 'a@example.jp',
  event: kind,
  timestamp: Math.floor(Date.now() / 1000),
  sg_event_id: 'c2lnbmVk',
  sg_message_id: 'abc.recvd-1',
  ref,
  order_id: '1001',
  attempt: '1',
  installation: 'shop-1',
  reason: 'ご注文',
});

/** As SendGrid writes a batch. */
const batch = (...events) => `[${events.map((e) => JSON.stringify(e).replaceAll('/', '\\/')).join(',\r\n')}]\r\n`;

const signers = {
  "Node.js's own signature": (text) => sign('sha256', Buffer.from(text), pair.privateKey).toString('base64'),
  "the vendor's own signature": (text) => {
    const pem = pair.privateKey.export({ type: 'sec1', format: 'pem' });
    return ecdsa.Ecdsa.sign(text, ecdsa.PrivateKey.fromPem(pem)).toBase64();
  },
};

for (const [name, signed] of Object.entries(signers)) {
  test(`${name} is taken, and nothing else`, async () => {
    const { id, ref } = await desk.enqueue(mail(name));
    const body = batch(event(ref, 'processed'), event(ref, 'delivered'));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signed(timestamp + body);
    for (const other of [body.trimEnd(), body.replace('delivered', 'Delivered'), body.replace('\r\n', '\n')]) {
      assert.ok(!finds(other, signature, timestamp));
      assert.equal(await desk.tell('sendgrid', headers(signature, timestamp), other), 401);
    }
    assert.notEqual((await desk.row(id)).status, 'synced');
    assert.ok(finds(body, signature, timestamp));
    assert.equal(await desk.tell('sendgrid', headers(signature, timestamp), body), 200);
    const row = await desk.row(id);
    assert.deepEqual([row.status, row.settled_by, row.delivery_state], ['synced', 'webhook', 'delivered']);
  });
}
