// Posts a mail and looks for it with Postmark's own client; prints what the client made of the
// answers.
//
//   node end2end/mail/postmark.mjs 127.0.0.1:4020 '{"mail":{…},"filter":{…}}'

import { ServerClient } from 'postmark';

const [requestHost, request] = process.argv.slice(2);
const { mail, filter } = JSON.parse(request);
const client = new ServerClient('server-token', { useHttps: false, requestHost });
const sent = await client.sendEmail(mail);
const found = await client.getOutboundMessages(filter);
console.log(`read ${JSON.stringify({ sent, found })}`);
