import type { Page } from '@playwright/test';
import { awake, expect, signIn, test } from './desk';
import { looks, soundAndNarrow } from './looks';

const PAGES = [
  '/',
  '/submissions',
  '/submissions?status=failed&status=rejected',
  '/submissions?q=no-such-order',
  '/submissions?needs=person',
  '/submissions?status=check',
  '/submissions?needs=held',
  '/submissions?status=sent&from=31+November&to=2026-11-31&cursor=x&needs=x',
  '/stuck',
  '/reports',
  '/reports?basis=accepted',
  '/help',
  '/submissions/errors',
  '/submissions?error=0123456789abcdef-7',
  '/bulk',
  '/bulk/new?status=failed&status=rejected',
];

looks('pages', (lang) => {
  const check = async (page: Page, url: string) => {
    await page.goto(url);
    await awake(page);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await soundAndNarrow(page);
  };

  // Of each page: axe finds nothing, nothing is wider than the screen, the console is silent.
  test('sign-in, overview, lists and what needs checking', async ({ page, demo }) => {
    // A dozen pages, each looked through whole.
    test.setTimeout(240_000);
    await check(page, `${demo.url}/login`);
    await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
    for (const path of PAGES) await check(page, `${demo.url}${path}`);
  });

  test('one mail in each state', async ({ page, demo }) => {
    test.slow();
    await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
    for (const status of ['pending', 'check', 'synced', 'failed', 'rejected', 'canceled']) {
      await page.goto(`${demo.url}/submissions?status=${status}`);
      const href = await page.locator('table.list tbody th[scope=row] a').first().getAttribute('href');
      await check(page, `${demo.url}${href}`);
    }
  });
});

test('the language is kept, and changes on the page in view', async ({ page, demo }) => {
  await signIn(page, demo.url, demo.people.support, 'demo-support1');
  await page.goto(`${demo.url}/submissions?status=failed`);
  await page.getByRole('link', { name: 'English' }).click();
  await expect(page).toHaveURL(`${demo.url}/submissions?status=failed`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.goto(`${demo.url}/`);
  await expect(page.locator('h1')).toHaveText('Overview');
});

test('what is not there is said to be not there', async ({ page, demo }) => {
  await signIn(page, demo.url, demo.people.support, 'demo-support1');
  // A browser logs the missing page itself; nothing else may be heard.
  for (const path of ['/submissions/999999999', '/submissions/0', '/submissions/9999999999999999999999', '/submissions/x', '/nothing']) {
    const response = await page.request.get(`${demo.url}${path}`);
    expect(response.status(), path).toBe(404);
    expect(await response.text()).toContain('</html>');
  }
});
