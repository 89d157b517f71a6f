// Posts a mail and reads events with Mailgun's own client; prints what the client made of the
// answers.
//
//   node end2end/mail/mailgun.mjs http://127.0.0.1:4020 '{"domain":"…","mail":{…},"filter":{…}}'

import Mailgun from 'mailgun.js';

const [url, request] = process.argv.slice(2);
const { domain, mail, filter } = JSON.parse(request);
const client = new Mailgun(FormData).client({ username: 'api', key: 'key-1', url });
const sent = await client.messages.create(domain, mail);
const found = await client.events.get(domain, filter);
console.log(`read ${JSON.stringify({ sent, found })}`);
