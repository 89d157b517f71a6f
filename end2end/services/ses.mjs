// Proves the sending through Amazon SES with an emulator of its API, and its signatures with
// Amazon's own signer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import emulate from 'aws-ses-v2-local';
import { denpyo, freePort, mail, recorder } from './denpyo.mjs';

const [ID, SECRET] = ['AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'];
const started = [];
const keep = (thing) => {
  started.push(thing);
  return thing;
};
after(() => Promise.all(started.reverse().map((thing) => thing.stop())));

const desk = async (url, key = `${ID}:${SECRET}`) =>
  keep(await denpyo({ PROVIDER: 'ses', PROVIDER_URL: `${url}#ap-northeast-1`, PROVIDER_KEY: key }));

test('the emulator keeps the mail', async () => {
  const port = await freePort();
  const server = await emulate.default({ port });
  keep({ stop: () => server.close() });
  const url = `http://127.0.0.1:${port}`;
  const { enqueue, synced } = await desk(url);
  const sent = mail('1001');
  const { id } = await enqueue(sent);
  const row = await synced(id);
  const { emails } = await (await fetch(`${url}/store`)).json();
  assert.equal(emails.length, 1);
  const [kept] = emails;
  assert.equal(kept.messageId, row.provider_message_id);
  assert.equal(kept.subject, sent.subject);
  assert.equal(kept.body.text, sent.body_text);
  assert.equal(kept.body.html, sent.body_html);
  assert.deepEqual(kept.destination.to, [sent.recipient]);
  assert.deepEqual(kept.replyTo, ['"Sample Co." <info@example.com>']);
  assert.match(kept.from, /^=\?utf-8\?b\?.*\?= <order@example\.com>$/);
});

for (const token of [undefined, 'FwoGZXIvYXdzE/token==']) {
  test(`the signature is what Amazon's own signer makes, ${token ? 'with' : 'without'} a session token`, async () => {
    const service = keep(await recorder({ MessageId: '0106019-1' }));
    const { enqueue, synced } = await desk(service.url, [ID, SECRET, token].filter(Boolean).join(':'));
    const { id, ref } = await enqueue(mail('1001'));
    const row = await synced(id);
    assert.equal(row.provider_message_id, '0106019-1');
    const [ours] = service.requests;
    assert.deepEqual([ours.method, ours.url], ['POST', '/v2/email/outbound-emails']);
    const tags = JSON.parse(ours.body).EmailTags;
    assert.deepEqual(tags.slice(0, 2), [{ Name: 'ref', Value: ref }, { Name: 'attempt', Value: '1' }]);
    const signer = new SignatureV4({
      service: 'ses',
      region: 'ap-northeast-1',
      credentials: { accessKeyId: ID, secretAccessKey: SECRET, sessionToken: token },
      sha256: Sha256,
      applyChecksum: false,
    });
    const date = ours.headers['x-amz-date'].replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z');
    const { hostname, port } = new URL(service.url);
    const theirs = await signer.sign(
      {
        method: 'POST',
        protocol: 'http:',
        hostname,
        port: Number(port),
        path: ours.url,
        headers: { host: ours.headers.host, 'content-type': 'application/json' },
        body: ours.body,
      },
      { signingDate: new Date(date) },
    );
    assert.equal(ours.headers.authorization, theirs.headers.authorization);
    assert.equal(ours.headers['x-amz-security-token'], token);
  });
}
