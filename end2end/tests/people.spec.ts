import type { Browser, Page } from '@playwright/test';
import { type Desk, PASSWORD, awake, complaints, expect, person, signIn, test } from './desk';
import { looks, soundAndNarrow } from './looks';

const NEW = 'k7hm-wq3e-xt5n';

looks('people', (lang) => {
  test('axe finds nothing, and nothing is wider than the screen', async ({ page, demo }) => {
    test.slow();
    await signIn(page, demo.url, demo.people.admin, 'demo-admin1');
    await page.goto(`${demo.url}/settings/users`);
    const one = await page.locator('table.users tbody a').first().getAttribute('href');
    for (const path of ['/settings/users', one!, '/settings/audit', '/settings/audit?who=sato&act=resend', '/settings/audit?act=x&from=31+November&q=no-such-order', '/account']) {
      await page.goto(`${demo.url}${path}`);
      await awake(page);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      for (const summary of await page.locator('main details > summary').all()) await summary.click();
      await soundAndNarrow(page);
    }
  });
});

/** Opens a form, fills its reason in and sends it. */
async function act(page: Page, open: string, confirm: string, reason = '引き継ぎのため') {
  const form = page.locator('details.ask', { has: page.getByText(open, { exact: true }) });
  await form.locator('summary').click();
  await form.locator('textarea').fill(reason);
  await form.getByRole('button', { name: confirm }).click();
}

/** Adds somebody under a name of the test's own, and opens their page. */
async function added(page: Page, desk: Desk, name: string, password = NEW): Promise<void> {
  await page.goto(`${desk.url}/settings/users`);
  await page.getByText('利用者を追加する', { exact: true }).click();
  await page.locator('#new-name').fill(name);
  await page.locator('#new-role').selectOption('support');
  await page.locator('#new-password').fill(password);
  await page.getByRole('button', { name: '追加する', exact: true }).click();
  await expect(page.locator('.told .say')).toContainText(`${name} さんを追加しました`);
  await page.getByRole('link', { name, exact: true }).click();
  await expect(page.locator('h1')).toHaveText(name);
}

async function elsewhere(browser: Browser, desk: Desk, name: string, password: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'ja-JP' });
  const page = await context.newPage();
  await signIn(page, desk.url, name, password);
  return page;
}

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });
    const name = (what: string) => `${what}-${scripts ? 'js' : 'plain'}`;
    const ready = async (page: Page) => {
      if (scripts) await awake(page);
    };

    test('somebody is added, promoted, disabled and let in again', async ({ page, browser, desk }) => {
      test.slow();
      const hanako = name('hanako');
      await signIn(page, desk.url, 'admin1');
      await ready(page);
      await page.getByRole('navigation', { name: 'ページ', exact: true }).getByRole('link', { name: '設定' }).waitFor();
      await added(page, desk, hanako);
      const theirs = await elsewhere(browser, desk, hanako, NEW);
      const heard = complaints(theirs);
      await expect(theirs.locator('header.top')).toContainText('サポート');
      await expect(theirs.getByRole('link', { name: '設定', exact: true })).toHaveCount(0);

      const role = page.locator('details.ask', { has: page.getByText('権限を変更する', { exact: true }) });
      await role.locator('summary').click();
      await role.locator('select').selectOption('lead');
      await role.locator('textarea').fill('12月からリーダーを担当');
      await role.getByRole('button', { name: '権限を変更する' }).click();
      await expect(page.locator('.told .say')).toContainText('権限を変更しました');
      await expect(page.locator('main dl.facts')).toContainText('リーダー');
      await theirs.goto(`${desk.url}/`);
      await expect(theirs.locator('header.top')).toContainText('リーダー');

      await act(page, '利用を停止する', '停止する', '退職のため');
      await expect(page.locator('.told .say')).toContainText('利用を停止しました');
      await expect(page.locator('main dl.facts')).toContainText('停止中（退職のため）');
      // What was opened and typed does not stay behind.
      await expect(page.locator('details.ask[open]')).toHaveCount(0);
      await theirs.goto(`${desk.url}/stuck`);
      await expect(theirs).toHaveURL(/\/login/);
      await theirs.locator('input[name=name]').fill(hanako);
      await theirs.locator('input[name=password]').fill(NEW);
      await theirs.locator('main button[type=submit]').click();
      await expect(theirs.locator('.error')).toHaveText('サインイン名かパスワードが違います。');

      await act(page, '利用を再開する', '再開する');
      await expect(page.locator('main dl.facts')).toContainText('有効');
      await signIn(theirs, desk.url, hanako, NEW);

      await page.getByRole('link', { name: 'この利用者への操作' }).click();
      await expect(page.locator('h1')).toHaveText('操作履歴');
      const lines = page.locator('table.trail tbody tr:not(.day)');
      await expect(lines).toHaveCount(4);
      await expect(lines.nth(0)).toContainText('利用の再開');
      await expect(lines.nth(1)).toContainText('有効 → 停止中');
      await expect(lines.nth(1)).toContainText('退職のため');
      await expect(lines.nth(2)).toContainText('サポート → リーダー');
      await expect(lines.nth(3)).toContainText('利用者の追加');
      await page.locator('#act').selectOption('user_role');
      await page.getByRole('button', { name: '絞り込む' }).click();
      await expect(page).toHaveURL(/act=user_role/);
      await expect(lines).toHaveCount(1);
      await page.locator('.trail-filters a.btn').click();
      await expect(page).toHaveURL(`${desk.url}/settings/audit`);
      expect(heard).toEqual([]);
      await theirs.context().close();
    });

    test('what is not taken says why, and keeps what was typed but no password', async ({ page, desk }) => {
      const taro = name('taro');
      await signIn(page, desk.url, 'admin1');
      await page.goto(`${desk.url}/settings/users`);
      await ready(page);
      await page.getByText('利用者を追加する', { exact: true }).click();
      // A password is there to be used.
      await expect(page.locator('#new-password')).toHaveValue(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
      await page.locator('#new-name').fill(taro);
      await page.locator('#new-role').selectOption('lead');
      await page.locator('#new-password').fill(`${taro}1234`);
      await page.getByRole('button', { name: '追加する', exact: true }).click();
      await expect(page.locator('.told .say')).toContainText('サインイン名とほとんど同じ');
      await expect(page.locator('#new-password')).toHaveAttribute('aria-invalid', 'true');
      await expect(page.locator('#new-name')).toHaveValue(taro);
      await expect(page.locator('#new-role')).toHaveValue('lead');
      await expect(page.locator('#new-password')).toHaveValue(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
      await page.getByRole('button', { name: '追加する', exact: true }).click();
      await expect(page.locator('.told .say')).toContainText(`${taro} さんを追加しました`);
      await expect(page.locator('details.ask[open]')).toHaveCount(0);
    });

    test('whoever was slower is told who was first', async ({ page, browser, desk }) => {
      const jiro = name('jiro');
      await signIn(page, desk.url, 'admin1');
      await added(page, desk, jiro);
      const stale = await person(browser, desk, 'admin1', { javaScriptEnabled: scripts });
      await stale.goto(page.url());
      await ready(stale);
      await act(page, 'すべてのサインインを終了する', '終了する');
      await expect(page.locator('.told .say')).toContainText('サインインをすべて終了しました');
      await act(stale, '利用を停止する', '停止する');
      await expect(stale.locator('.told .say')).toContainText('admin1 さんが先に変更しています');
      await expect(stale.locator('main dl.facts')).toContainText('有効');
      await stale.context().close();
    });

    test('one changes one’s own password, and other devices are signed out', async ({ page, browser, desk }) => {
      test.slow();
      const saburo = name('saburo');
      await signIn(page, desk.url, 'admin1');
      await added(page, desk, saburo);
      await page.getByRole('button', { name: 'サインアウト' }).click();
      await signIn(page, desk.url, saburo, NEW);
      const other = await elsewhere(browser, desk, saburo, NEW);
      await page.goto(`${desk.url}/account`);
      await ready(page);
      await expect(page.locator('table.own-sign-ins tbody tr')).toHaveCount(2);
      const fill = async (old: string, twice: [string, string]) => {
        await page.locator('#old').fill(old);
        await page.locator('#new').fill(twice[0]);
        await page.locator('#again').fill(twice[1]);
        await page.getByRole('button', { name: 'パスワードを変更する' }).click();
      };
      await fill('wrong horse', [PASSWORD, PASSWORD]);
      await expect(page.locator('#old-error')).toContainText('いまのパスワードが違います');
      await expect(page.locator('#old')).toHaveValue('');
      await fill(NEW, ['correct horse 1', 'correct horse 2']);
      await expect(page.locator('#again-error')).toBeVisible();
      const followed = async () => {
        if (scripts) await page.locator('.asof.on').waitFor();
      };
      await followed();
      const again = scripts && page.waitForRequest((request) => new URL(request.url()).pathname === '/live');
      await fill(NEW, ['correct horse 1', 'correct horse 1']);
      await expect(page.locator('.told .say')).toContainText('パスワードを変更しました');
      // The session goes on under another id, and the page goes on being live.
      await again;
      await followed();
      await expect(page.locator('.linked .say')).toHaveCount(0);
      await expect(page.locator('table.own-sign-ins tbody tr')).toHaveCount(1);
      await page.goto(`${desk.url}/stuck`);
      await expect(page.locator('header.top')).toContainText(saburo);
      await other.goto(`${desk.url}/stuck`);
      await expect(other).toHaveURL(/\/login/);
      await signIn(other, desk.url, saburo, 'correct horse 1');

      await page.goto(`${desk.url}/account`);
      await ready(page);
      await page.getByRole('button', { name: 'ほかのサインインを終了する' }).click();
      await expect(page.locator('.told .say')).toContainText('ほかの端末のサインインを終了しました');
      await other.goto(`${desk.url}/`);
      await expect(other).toHaveURL(/\/login/);
      await other.context().close();
    });
  });
}

test('the last administrator is neither disabled nor demoted', async ({ page, desk }) => {
  await signIn(page, desk.url, 'admin1');
  await page.goto(`${desk.url}/settings/users`);
  await page.getByRole('link', { name: 'admin1', exact: true }).click();
  await awake(page);
  await expect(page.locator('main .say')).toContainText('サインインできる管理者はこの人だけです');
  await act(page, '利用を停止する', '停止する');
  await expect(page.locator('.told .say')).toContainText('変更しませんでした');
  await page.reload();
  await expect(page.locator('main dl.facts')).toContainText('有効');
});
