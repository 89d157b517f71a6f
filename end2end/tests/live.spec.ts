import type { Page } from '@playwright/test';
import { awake, Desk, expect, signIn, test } from './desk';

/** Waits until changes arrive at the page. */
async function live(page: Page): Promise<void> {
  await awake(page);
  await page.locator('.asof.on').waitFor();
}

test('an open list changes where it stands, and newer mails wait until they are asked for', async ({ page, desk }) => {
  const id = await desk.refused('live-1', { kind: 'live-list' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions?kind=live-list`);
  await live(page);
  const rows = page.locator('table.list tbody tr:not(.day)');
  const order = rows.first().locator('a');
  await order.focus();
  const before = await rows.first().boundingBox();

  await desk.resend(id);
  await expect(rows.first()).toContainText('送信済み');
  for (const n of [2, 3, 4]) await desk.post({ order_id: `live-${n}`, kind: 'live-list' });
  const newer = page.getByRole('button', { name: '新着3件を表示する' });
  await expect(newer).toBeVisible();
  await expect(rows).toHaveCount(1);
  await expect(order).toBeFocused();
  expect(await rows.first().boundingBox()).toEqual(before);
  await newer.click();
  await expect(rows).toHaveCount(4);
  await expect(newer).toHaveCount(0);
});

test('an open mail follows, but not while somebody fills in a form of it', async ({ page, desk }) => {
  const id = await desk.refused('live-mail');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await live(page);
  await page.getByText('送信を取りやめる', { exact: true }).click();
  const reason = page.locator('details[open] textarea');
  await reason.fill('お客様のご希望');
  await desk.resend(id);
  await desk.until(id, 'sent', (mail) => mail.status === 'synced');
  const show = page.getByRole('button', { name: 'いまの状態を表示する' });
  await expect(show).toBeVisible();
  await expect(reason).toHaveValue('お客様のご希望');
  await show.click();
  await expect(page.locator('.verdict')).toContainText('送信サービスが受け付けています');
});

test('what needs checking follows, number and list', async ({ page, desk }) => {
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/stuck`);
  await live(page);
  const id = await desk.unanswered('live-stuck');
  const item = page.locator('article.case').filter({ hasText: 'live-stuck' });
  await expect(item).toBeVisible();
  await expect(page.locator('.rail .count')).toBeVisible();
  // Somebody else answers: the case stays in its place, and says so.
  const other = await page.context().newPage();
  await other.goto(`${desk.url}/stuck`);
  await awake(other);
  const theirs = other.locator('article.case').filter({ hasText: 'live-stuck' });
  await theirs.getByText('送信されていた', { exact: true }).click();
  await theirs.locator('textarea:visible').fill('管理画面で確かめました。');
  await theirs.getByRole('button', { name: '送信済みと確定する' }).click();
  await desk.until(id, 'answered', (mail) => mail.status === 'synced');
  await page.bringToFront();
  await expect(item).toContainText('確認は済みました');
});

test('while nothing is followed, the number in the bar is that of the page as it was read', async ({ page, desk }) => {
  await desk.unanswered('live-number');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/stuck`);
  await live(page);
  await page.getByRole('button', { name: '自動更新を止める' }).click();
  const item = page.locator('article.case').filter({ hasText: 'live-number' });
  await item.getByText('送信されていた', { exact: true }).click();
  await item.locator('textarea:visible').fill('管理画面で確かめました。');
  await item.getByRole('button', { name: '送信済みと確定する' }).click();
  await expect(item).toHaveCount(0);
  const left = await page.locator('article.case').count();
  await expect(page.locator('.rail .count')).toHaveText(left > 0 ? [String(left)] : []);
});

test('a select in use is moved by no key and by nothing that changes', async ({ page, desk }) => {
  await signIn(page, desk.url, 'admin1');
  await page.goto(`${desk.url}/settings/audit`);
  await live(page);
  const select = page.locator('#act');
  await select.selectOption('user_role');
  await select.focus();
  for (const key of ['/', '?']) await page.keyboard.press(key);
  await expect(page.locator('dialog[open]')).toHaveCount(0);
  const number = async () => Number((await page.locator('.rail .count').allTextContents())[0] ?? '0');
  const [before, place] = [await number(), await select.boundingBox()];
  await desk.unanswered('live-select');
  await expect.poll(number).toBeGreaterThan(before);
  await expect(select).toBeFocused();
  await expect(select).toHaveValue('user_role');
  expect(await select.boundingBox()).toEqual(place);
});

test('a pause is kept, and caught up with', async ({ page, desk }) => {
  await desk.post({ order_id: 'live-pause-1', kind: 'live-pause' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions?kind=live-pause`);
  await live(page);
  await page.getByRole('button', { name: '自動更新を止める' }).click();
  await expect(page.locator('.asof.still')).toContainText('更新停止中');
  await page.reload();
  await awake(page);
  await expect(page.locator('.asof.still')).toBeVisible();
  await desk.post({ order_id: 'live-pause-2', kind: 'live-pause' });
  await page.getByRole('button', { name: '自動更新を再開する' }).click();
  await expect(page.getByRole('button', { name: '新着1件を表示する' })).toBeVisible();
});

test('a page whose session is over says so', async ({ page, desk }) => {
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions`);
  await live(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const other = await page.context().newPage();
  await other.goto(desk.url);
  await other.locator('form[action="/session/end"] button').click();
  await expect(other).toHaveURL(/login/);
  await page.bringToFront();
  await expect(page.getByText('この画面は更新されません', { exact: false })).toBeVisible();
  await expect(page.locator('main').getByRole('link', { name: 'サインイン' })).toHaveAttribute('href', '/login?next=%2Fsubmissions');
  expect(asked.filter((path) => path === '/live')).toEqual([]);
});

test('seven windows of one person all load', async ({ page, desk }) => {
  await signIn(page, desk.url, 'support1');
  const pages = [page];
  for (let n = 0; n < 6; n++) pages.push(await page.context().newPage());
  for (const one of pages) {
    await one.goto(`${desk.url}/submissions`);
    await awake(one);
  }
  for (const one of pages) await expect(one.locator('h1')).toBeVisible();
  await live(pages[6]!);
});

test('an act that no answer comes to leaves the form as it is, to be pressed again', async ({ browser, desk }) => {
  const id = await desk.refused('live-cut');
  // In a page of its own, which may complain of the connection.
  const page = await browser.newPage({ locale: 'ja-JP' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await awake(page);
  await page.getByText('宛先を直して送る', { exact: true }).click();
  const form = page.locator('details.act[open]');
  await form.getByLabel('正しい宛先').fill('cut@example.com');
  await form.locator('textarea').fill('お電話でうかがいました。');
  await page.route('**/_desk/**', (route) => route.abort());
  const send = form.getByRole('button', { name: 'この宛先に送る' });
  for (const _ of [1, 2]) {
    await send.click();
    await expect(page.locator('.told')).toContainText('サーバーから応答がありません');
    await expect(send).not.toHaveAttribute('aria-busy', 'true');
    await expect(form.getByLabel('正しい宛先')).toHaveValue('cut@example.com');
    await expect(form.locator('textarea')).toHaveValue('お電話でうかがいました。');
  }
  await page.unroute('**/_desk/**');
  await send.click();
  const mail = await desk.until(id, 'accepted', (m) => m.status === 'synced');
  expect(mail.recipient).toBe('cut@example.com');
  await expect(page.locator('.told')).toContainText('2回目');
  await page.close();
});

test('closing a month keeps what was written where no answer comes', async ({ browser, desk }) => {
  // In a page of its own, as above.
  const page = await browser.newPage({ locale: 'ja-JP' });
  await signIn(page, desk.url, 'lead1');
  await page.goto(`${desk.url}/reports?month=2020-03`);
  await awake(page);
  const form = page.locator('.close-month');
  await form.locator('summary').click();
  await form.locator('textarea').fill('月次報告');
  await page.route('**/_desk/**', (route) => route.abort());
  await form.locator('button[type=submit]').click();
  await expect(page.locator('.told')).toContainText('サーバーから応答がありません');
  await expect(form.locator('textarea')).toHaveValue('月次報告');
  await page.unroute('**/_desk/**');
  await form.locator('button[type=submit]').click();
  await expect(page.locator('.say.closed')).toContainText('月次報告');
  await expect(page.locator('.told')).not.toContainText('応答がありません');
  await page.close();
});

test.describe('over a restart', () => {
  // In a browser of its own, which may complain of the server that is gone.
  test('a lost connection is said, and heals', async ({ browser }) => {
    const desk = await Desk.start();
    const page = await browser.newPage({ locale: 'ja-JP' });
    try {
      await signIn(page, desk.url, 'support1');
      await page.goto(`${desk.url}/submissions`);
      await live(page);
      await desk.restart(async () => {
        await expect(page.getByText('サーバーとの接続が切れています', { exact: false })).toBeVisible();
      });
      await live(page);
      await expect(page.getByText('サーバーとの接続が切れています', { exact: false })).toHaveCount(0);
    } finally {
      await page.close();
      await desk.stop();
    }
  });
});

test('what screen readers hear of many changes', async ({ page, desk }) => {
  await desk.post({ order_id: 'live-said-0', kind: 'live-said' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions?kind=live-said`);
  await live(page);
  await page.evaluate(() => {
    const heard: string[] = ((window as any).heard = []);
    for (const region of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
      new MutationObserver(() => heard.push(region.textContent ?? '')).observe(region, { childList: true, characterData: true, subtree: true });
    }
  });
  const began = Date.now();
  for (let n = 1; n <= 20; n++) await desk.post({ order_id: `live-said-${n}`, kind: 'live-said' });
  await expect(page.getByRole('button', { name: '新着20件を表示する' })).toBeVisible();
  const heard: string[] = await page.evaluate(() => (window as any).heard);
  // By number, and no clock: at once, and then every ten seconds at most.
  expect(heard.length).toBeLessThanOrEqual(2 + Math.floor((Date.now() - began) / 10_000));
  for (const text of heard) expect(text).toMatch(/^新着が\d+件あります$/);
});
