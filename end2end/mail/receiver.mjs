// A mail server made of npm's smtp-server, for Denpyo's tests: prints "listening on PORT", then a
// line of JSON for each mail it accepts.
//
//   node end2end/mail/receiver.mjs '{"tls":"wrapped","key":"key.pem","cert":"cert.pem"}'
//
// tls: none, upgraded (STARTTLS) or wrapped. user, password: what signing in needs. greylist_ms:
// for so long each recipient is asked to come again. first: with these codes, one an attempt,
// whoever comes is refused at RCPT before anything is taken. strict_hello: names without a dot or
// with an underscore are refused with the code strict_code, at RCPT or at EHLO. no_relay:
// recipients of this domain are refused as a relay that is not permitted.

import { readFileSync } from 'node:fs';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

const settings = {
  tls: 'none',
  greylist_ms: 0,
  first: [],
  strict_hello: '',
  strict_code: 450,
  no_relay: '',
};
Object.assign(settings, JSON.parse(process.argv[2] ?? '{}'));
const encrypted = settings.tls !== 'none';
const firstSeen = new Map();

const refusal = (responseCode, text) => Object.assign(new Error(text), { responseCode });

const { strict_hello: strict, strict_code: strictCode } = settings;
const isStrange = (name) => name.includes('_') || !name.includes('.');

if (strict === 'EHLO') {
  const { prototype } = SMTPConnection;
  const greeted = prototype.handler_EHLO;
  prototype.handler_EHLO = function handler(command, done) {
    const [, name = ''] = command.toString().trim().split(/\s+/);
    if (!isStrange(name)) return greeted.call(this, command, done);
    this.send(strictCode, 'Invalid name');
    return done();
  };
}

const server = new SMTPServer({
  // Addresses such as a..b.@example.ne.jp are real.
  lenientAddressParsing: true,
  secure: settings.tls === 'wrapped',
  hideSTARTTLS: !encrypted,
  key: encrypted ? readFileSync(settings.key) : undefined,
  cert: encrypted ? readFileSync(settings.cert) : undefined,
  authOptional: !settings.user,
  allowInsecureAuth: !encrypted,
  disableReverseLookup: true,
  onAuth(auth, _session, done) {
    const { user, password } = settings;
    const fits = auth.username === user && auth.password === password;
    done(fits ? null : refusal(535, 'Authentication credentials invalid'), { user });
  },
  onRcptTo({ address }, session, done) {
    const name = session.hostNameAppearsAs;
    if (strict === 'RCPT' && isStrange(name)) {
      const why = `<${name}>: Helo command rejected: need fully-qualified hostname`;
      done(refusal(strictCode, why));
      return;
    }
    const code = settings.first.shift();
    if (code) {
      done(refusal(code, 'Please come again later'));
      return;
    }
    if (settings.no_relay && address.endsWith(`@${settings.no_relay}`)) {
      done(refusal(554, 'Relay access denied: relay not permitted'));
      return;
    }
    if (!firstSeen.has(address)) firstSeen.set(address, Date.now());
    const early = Date.now() - firstSeen.get(address) < settings.greylist_ms;
    done(early ? refusal(451, 'Greylisted, please come again') : null);
  },
  onData(stream, session, done) {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      const { envelope, hostNameAppearsAs, secure, user } = session;
      const mail = {
        from: envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        hello: hostNameAppearsAs,
        secure,
        user: user ?? null,
        raw: Buffer.concat(chunks).toString('latin1'),
      };
      console.log(`mail ${JSON.stringify(mail)}`);
      done(null, 'Ok: queued as RECEIVER1');
    });
  },
});

server.on('error', (error) => console.error(error.message));
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on ${server.server.address().port}`);
});
