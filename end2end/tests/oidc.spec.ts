import type { Page } from '@playwright/test';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { Desk, PASSWORD, awake, expect, test } from './desk';
import { looks, soundAndNarrow } from './looks';

/** Signs in at the provider's own pages: its test pages take any name, and no password that matters. */
async function atProvider(page: Page, name: string): Promise<void> {
  // Its test pages want a font from elsewhere; nothing here goes there.
  await page.route(/fonts\.googleapis\.com/, (route) => route.fulfill({ contentType: 'text/css', body: '' }));
  await page.getByRole('link', { name: 'サンプル社 でサインインする' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  // What the desk may know of this person.
  await page.locator('button[type=submit]').click();
}

/** A real provider, whose people have the groups that their names say. */
async function provider(): Promise<{ issuer: string; server: Server; trust: (desk: string) => void }> {
  const { Provider } = (await import('oidc-provider')) as any;
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const trust = (desk: string) => {
    const it = new Provider(issuer, {
      clients: [{ client_id: 'denpyo', client_secret: 'secret of denpyo', redirect_uris: [`${desk}/session/oidc/callback`] }],
      claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
      scopes: ['openid', 'profile', 'groups'],
      pkce: { required: () => true },
      cookies: { keys: ['key of the tests'] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: `id-${id}`, preferred_username: id, groups: id.startsWith('lead') ? ['leads'] : ['cooks'] }),
      }),
    });
    server.on('request', it.callback());
  };
  return { issuer, server, trust };
}

test.describe('OpenID Connect', () => {
  let desk: Desk;
  let server: Server;

  test.beforeAll(async () => {
    const real = await provider();
    server = real.server;
    desk = await Desk.start({
      DENPYO_OIDC_ISSUER: real.issuer,
      DENPYO_OIDC_CLIENT_ID: 'denpyo',
      DENPYO_OIDC_CLIENT_SECRET: 'secret of denpyo',
      DENPYO_OIDC_ROLES: 'helpdesk=support,leads=lead',
      DENPYO_OIDC_NAME: 'サンプル社',
    });
    real.trust(desk.url);
  });

  test.afterAll(async () => {
    await desk.stop();
    server.closeAllConnections();
    server.close();
  });

  for (const scripts of [true, false]) {
    test.describe(scripts ? 'with scripts' : 'without scripts', () => {
      test.use({ javaScriptEnabled: scripts });

      test('somebody signs in where they wanted to go, with the role of their group', async ({ page }) => {
        const name = scripts ? 'lead-hanako' : 'lead-jiro';
        await page.goto(`${desk.url}/stuck`);
        if (scripts) await awake(page);
        await atProvider(page, name);
        await expect(page).toHaveURL(`${desk.url}/stuck`);
        await expect(page.locator('.who')).toContainText(name);
        await expect(page.locator('.who')).toContainText('リーダー');
        await page.getByRole('button', { name: 'サインアウト' }).click();
        await expect(page).toHaveURL(`${desk.url}/login`);
      });

      test('somebody of another group is told that they have no role here', async ({ page }) => {
        await page.goto(`${desk.url}/login`);
        if (scripts) await awake(page);
        await atProvider(page, 'cook-saburo');
        await expect(page.getByRole('alert')).toContainText('権限がありません');
        // The password's own way stands beside it.
        await page.locator('input[name=name]').fill('admin1');
        await page.locator('input[name=password]').fill(PASSWORD);
        await page.locator('main button[type=submit]').click();
        await expect(page.locator('.who')).toContainText('admin1');
      });
    });
  }

  looks('the sign-in page', (lang) => {
    test('axe finds nothing on the sign-in page', async ({ page }) => {
      for (const why of ['', '?again=1', '?again=oidc_down', '?again=oidc_role', '?again=oidc_stale']) {
        await page.goto(`${desk.url}/login${why}`);
        await awake(page);
        await expect(page.locator('html')).toHaveAttribute('lang', lang);
        await soundAndNarrow(page);
      }
    });
  });
});
