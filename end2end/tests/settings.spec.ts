import { awake, expect, signIn, test } from './desk';
import { looks, soundAndNarrow } from './looks';

looks('settings', (lang, look) => {
  test('axe finds nothing, and nothing is wider than the screen', async ({ page, desk }) => {
    test.slow();
    await signIn(page, desk.url, 'admin1');
    await page.goto(`${desk.url}/settings/tokens`);
    await awake(page);
    await page.locator('.make-token summary').click();
    await page.locator('#token-name').fill(`${lang} ${look}`);
    await page.locator('.make-token button[type=submit]').click();
    await expect(page.locator('.secret code')).toHaveText(/^denpyo_[\w-]{43}$/);
    for (const details of await page.locator('main details').all()) await details.locator('summary').click();
    await soundAndNarrow(page);
    for (const path of ['/settings', '/settings/tokens']) {
      await page.goto(`${desk.url}${path}`);
      await awake(page);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      await expect(page.locator('.subnav [aria-current=page]')).toHaveAttribute('href', path);
      await expect(page.locator('.secret')).toHaveCount(0);
      await soundAndNarrow(page);
    }
  });
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('a token is made, used, and ended', async ({ page, desk, request }) => {
      const name = scripts ? '受注システム' : 'monitor';
      const list = (token: string) => request.get(`${desk.url}/api/v1/submissions`, { headers: { authorization: `Bearer ${token}` } });
      await signIn(page, desk.url, 'admin1');
      await page.getByRole('link', { name: '設定', exact: true }).click();
      await expect(page.locator('h1')).toHaveText('設定と稼働状況');
      await page.getByRole('link', { name: 'API トークン' }).click();
      await expect(page.locator('h1')).toHaveText('API トークン');
      if (scripts) await awake(page);
      await page.locator('.make-token summary').click();
      await page.locator('#token-name').fill(name);
      await page.locator('.make-token button[type=submit]').click();
      const token = (await page.locator('.secret code').textContent())!;
      expect(page.url()).not.toContain(token);
      expect((await list(token)).status()).toBe(200);

      // Gone for good.
      await page.goto(`${desk.url}/settings/tokens`);
      if (scripts) await awake(page);
      await expect(page.locator('.secret')).toHaveCount(0);
      expect(await page.content()).not.toContain(token);

      const row = page.locator('table.tokens tr', { hasText: name });
      await row.locator('summary').click();
      await row.locator('textarea').fill('入れ替えのため');
      await row.locator('button[type=submit]').click();
      await expect(page.locator('.told .say')).toContainText('無効にしました');
      await expect(row).toContainText('admin1 さんが無効にしました');
      await expect(row).toContainText('入れ替えのため');
      expect((await list(token)).status()).toBe(401);
    });
  });
}

test('the settings say what holds and where it comes from, and no secret', async ({ page, desk }) => {
  await signIn(page, desk.url, 'admin1');
  await page.goto(`${desk.url}/settings`);
  await awake(page);
  const row = (key: string) => page.locator('table.set tr', { hasText: key });
  await expect(row('DENPYO_LEASE')).toContainText('2500ms');
  await expect(row('DENPYO_LEASE')).toContainText('環境変数');
  await expect(row('DENPYO_MAX_AGE')).toContainText('既定値');
  await expect(row('DENPYO_PROVIDER_KEY')).toContainText('設定済み');
  await expect(row('DENPYO_WEBHOOK_KEY')).toContainText('未設定');
  expect(await page.content()).not.toContain('SG.end2end');
});

for (const name of ['support1', 'lead1']) {
  test(`${name} has no way to the settings`, async ({ page, desk }) => {
    await signIn(page, desk.url, name);
    await awake(page);
    await expect(page.locator('.rail a[href="/reports"]')).toBeVisible();
    await expect(page.locator('.rail a[href="/settings"]')).toHaveCount(0);
  });
}
