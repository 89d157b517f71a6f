import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { awake, complaints, expect, signIn, test } from './desk';
import { sound as axeFindsNothing } from './looks';

/** What is read and pressed on the way, in each language. */
const WORDS = {
  ja: {
    correct: '宛先を直して送る', sendThere: 'この宛先に送る', resend: '再送する', copy: '控えをもう1通送る', sendCopy: '控え1を送る',
    callOff: '送信を取りやめる', callOffNow: '取りやめる', sent: '送信されていた', confirmSent: '送信済みと確定する',
    reply: '日本語の返信文をコピー', states: { accepted: '送信済み', refused: '受付拒否', canceled: '取りやめ' }, signOut: 'サインアウト', disable: '利用を停止する',
  },
  en: {
    correct: 'Correct the address and send', sendThere: 'Send to this address', resend: 'Send again', copy: 'Send a further copy', sendCopy: 'Send copy 1',
    callOff: 'Call it off', callOffNow: 'Call it off now', sent: 'It did go out', confirmSent: 'Confirm it went out',
    reply: 'Copy: the English reply', states: { accepted: 'Accepted', refused: 'Refused', canceled: 'Called off' }, signOut: 'Sign out', disable: 'Disable',
  },
} as const;
type Lang = keyof typeof WORDS;

const box = (page: Page) => page.locator('header.top input[name=q]');
const said = (page: Page) => page.locator('.told');

/** What a day looks like: which language, which theme, and whether scripts run. */
const DAYS = (['ja', 'en'] as const).flatMap((lang) => [
  { lang, colorScheme: 'light', scripts: true } as const,
  { lang, colorScheme: 'dark', scripts: true } as const,
  { lang, colorScheme: 'light', scripts: false } as const,
]);

for (const { lang, colorScheme, scripts } of DAYS) {
  const w = WORDS[lang];
  test.describe(`${lang}, ${colorScheme}, scripts ${scripts ? 'on' : 'off'}`, () => {
    test.use({ locale: lang === 'ja' ? 'ja-JP' : 'en-GB', colorScheme, javaScriptEnabled: scripts });
    test.slow();

    /** Goes to a page; it is in the day's language and awake. */
    const open = async (page: Page, url: string) => {
      await page.goto(url);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      if (scripts) await awake(page);
    };
    /** Axe finds nothing on the page as it stands. It is a script itself. */
    const sound = async (page: Page) => {
      if (scripts) await axeFindsNothing(page);
    };
    /** Looks a mail up as one does with a customer on the phone, and opens it. */
    const lookUp = async (page: Page, text: string, order: string) => {
      if (scripts) {
        await page.locator('body').press('/');
        await expect(box(page)).toBeFocused();
      }
      await box(page).fill(text);
      await box(page).press('Enter');
      await page.getByRole('link', { name: order, exact: true }).click();
      await expect(page.locator('h1')).toContainText(order);
      if (scripts) await awake(page);
    };
    const unfold = async (page: Page, name: string, reason: string) => {
      await page.locator('summary', { hasText: name }).click();
      const form = page.locator('details.act[open]');
      await form.locator('textarea').fill(reason);
      return form;
    };
    const order = (name: string) => `day-${lang}-${colorScheme}-${scripts ? 'on' : 'off'}-${name}`;

    test('a support agent, customers on the phone', async ({ page, desk }) => {
      const accepted = await desk.post({ order_id: order('accepted'), recipient: `hanako.${lang}${colorScheme}${scripts}@day.example.jp` });
      await desk.until(accepted, 'accepted', (m) => m.status === 'synced');
      const refused = await desk.refused(order('refused'), { recipient: 'taro@exmaple.jp' });
      const again = await desk.refused(order('again'));
      const later = await desk.post({ order_id: order('later'), not_before: '2090-01-01T00:00:00Z' });
      const doubt = await desk.unanswered(order('doubt'));

      await page.goto(`${desk.url}/login`);
      await sound(page);
      await signIn(page, desk.url, 'support1');
      await sound(page);

      // "It never came": found by a part of the address; the service has it, and that is what the customer hears.
      await lookUp(page, `hanako.${lang}${colorScheme}${scripts}@day`, order('accepted'));
      await expect(page.locator('.ident')).toContainText(w.states.accepted);
      await expect(page.locator(`.reply [lang=${lang}]`)).toContainText(order('accepted'));
      if (scripts) {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.getByRole('button', { name: w.reply }).click();
        const reply = await page.locator(`.reply [lang=${lang}]`).innerText();
        await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(reply);
      }
      await expect(page.getByRole('button', { name: w.resend, exact: true })).toHaveCount(0);
      await sound(page);
      // They deleted it: a further copy, on purpose.
      const copy = await unfold(page, w.copy, '削除してしまったとのことです。');
      await copy.getByRole('button', { name: w.sendCopy }).click();
      await expect(said(page)).not.toBeEmpty();
      await expect.poll(() => desk.accepted(order('accepted'))).toBe(2);

      // A slip of the pen in the address.
      await open(page, `${desk.url}/submissions?status=rejected`);
      await page.getByRole('link', { name: order('refused'), exact: true }).click();
      await expect(page.locator('.ident')).toContainText(w.states.refused);
      const correct = await unfold(page, w.correct, 'お電話でうかがいました。');
      await correct.locator('input[name=recipient]').fill('taro@example.jp');
      await correct.getByRole('button', { name: w.sendThere }).click();
      await expect(said(page)).not.toBeEmpty();
      expect((await desk.until(refused, 'accepted', (m) => m.status === 'synced')).recipient).toBe('taro@example.jp');

      // Refused for a cause that is gone by now: one click.
      await lookUp(page, order('again'), order('again'));
      await page.getByRole('button', { name: w.resend, exact: true }).click();
      await expect(said(page)).not.toBeEmpty();
      expect((await desk.until(again, 'accepted', (m) => m.status === 'synced')).attempts).toBe(2);

      // A cancelled order.
      await box(page).fill(`#${later}`);
      await box(page).press('Enter');
      await expect(page).toHaveURL(`${desk.url}/submissions/${later}`);
      if (scripts) await awake(page);
      const off = await unfold(page, w.callOff, 'ご注文の取り消しです。');
      await off.getByRole('button', { name: w.callOffNow, exact: true }).click();
      await expect(said(page)).not.toBeEmpty();
      await expect(page.locator('.ident')).toContainText(w.states.canceled);
      expect((await desk.mail(later)).status).toBe('canceled');

      // What nobody knows: the customer read it out, so it did go out.
      await open(page, `${desk.url}/stuck`);
      const item = page.locator('article.case').filter({ hasText: order('doubt') });
      await sound(page);
      await item.locator('summary', { hasText: w.sent }).first().click();
      await item.locator('textarea:visible').fill('お客様の手元にあるとのことです。');
      await item.getByRole('button', { name: w.confirmSent }).click();
      await expect(item).toHaveCount(0);
      expect((await desk.mail(doubt)).settled_by).toBe('person');
      expect(await desk.accepted(order('doubt'))).toBe(1);

      await page.getByRole('button', { name: w.signOut }).click();
      await expect(page).toHaveURL(/\/login/);
      await page.goBack();
      await expect(page.locator('body')).not.toContainText(order('doubt'));
    });

    test('a team lead, closing the month', async ({ page, desk }) => {
      const kind = order('kind');
      const ids = [await desk.refused(order('one'), { kind }), await desk.refused(order('two'), { kind })];
      const sent = await desk.post({ order_id: order('three'), kind });
      await desk.until(sent, 'accepted', (m) => m.status === 'synced');
      await signIn(page, desk.url, 'lead1');

      // The service is well again: what it refused goes out, all of it and no more.
      await open(page, `${desk.url}/submissions?kind=${kind}`);
      await page.locator('a[href^="/bulk/new"]').click();
      await page.locator('main form button[type=submit]').click();
      await expect(page).toHaveURL(/\/bulk\/\d+$/);
      if (scripts) await awake(page);
      await sound(page);
      await page.locator('main details.ask > summary').first().click();
      await page.locator('main details.ask[open] textarea').fill('送信サービスが復旧したため');
      await page.locator('main details.ask[open] button[type=submit]').click();
      for (const id of ids) expect((await desk.until(id, 'accepted', (m) => m.status === 'synced')).attempts).toBe(2);
      expect(await desk.accepted(order('three'))).toBe(1);

      // The month, by either basis; a figure opens its rows.
      await open(page, `${desk.url}/reports`);
      await sound(page);
      await expect(page.locator('table.month tbody tr', { hasText: kind })).toBeVisible();
      await page.locator('a[href*="basis=accepted"]').first().click();
      await expect(page).toHaveURL(/basis=accepted/);
      const figure = page.locator('table.month tbody tr', { hasText: kind }).locator('td a').first();
      await expect(figure).toHaveText('3');
      await figure.click();
      await expect(page.locator('table.list tbody tr:not(.day)')).toHaveCount(3);

      // For the accountant.
      await open(page, `${desk.url}/reports`);
      const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('a[href^="/exports/report.csv"]').click()]);
      const text = readFileSync(await saved.path(), 'utf8');
      expect(text.startsWith('\ufeff')).toBe(true);
      expect(text).toContain(kind);

      // A month is closed, once; each day has one of its own.
      const month = `2019-${String(1 + DAYS.findIndex((d) => d.lang === lang && d.colorScheme === colorScheme && d.scripts === scripts)).padStart(2, '0')}`;
      await open(page, `${desk.url}/reports?month=${month}`);
      await page.locator('.close-month summary').click();
      await page.locator('.close-month textarea').fill('月次の報告');
      await page.locator('.close-month button[type=submit]').click();
      await expect(page.locator('.say.closed')).toContainText('lead1');
      await expect(page.locator('.close-month')).toHaveCount(0);
      expect((await page.request.get(`${desk.url}/settings`)).status()).toBe(403);
    });

    test('an administrator, somebody joins and somebody leaves', async ({ page, browser, desk, request }) => {
      const name = `new-${lang}-${colorScheme}-${scripts ? 'on' : 'off'}`;
      const password = 'k7hm-wq3e-xt5n';
      await signIn(page, desk.url, 'admin1');
      await open(page, `${desk.url}/settings`);
      await expect(page.locator('table.set')).toContainText('DENPYO_ON_UNKNOWN');
      expect(await page.content()).not.toContain('SG.end2end');
      await sound(page);

      await open(page, `${desk.url}/settings/users`);
      await page.locator('details:has(#new-name) > summary').click();
      await page.locator('#new-name').fill(name);
      await page.locator('#new-role').selectOption('lead');
      await page.locator('#new-password').fill(password);
      await page.locator('form:has(#new-name) button[type=submit]').click();
      await expect(said(page)).toContainText(name);
      const theirs = await (await browser.newContext({ locale: lang === 'ja' ? 'ja-JP' : 'en-GB' })).newPage();
      const heard = complaints(theirs);
      await signIn(theirs, desk.url, name, password);

      // A program gets a token; the one that leaves with a person is ended.
      await open(page, `${desk.url}/settings/tokens`);
      await page.locator('.make-token summary').click();
      await page.locator('#token-name').fill(name);
      await page.locator('.make-token button[type=submit]').click();
      const token = (await page.locator('.secret code').textContent())!;
      const status = async () => (await request.get(`${desk.url}/api/v1/submissions`, { headers: { authorization: `Bearer ${token}` } })).status();
      expect(await status()).toBe(200);
      await open(page, `${desk.url}/settings/tokens`);
      await sound(page);
      const row = page.locator('table.tokens tr', { hasText: name });
      await row.locator('summary').click();
      await row.locator('textarea').fill('入れ替えのため');
      await row.locator('button[type=submit]').click();
      await expect(said(page)).not.toBeEmpty();
      expect(await status()).toBe(401);

      // They leave: out of the desk at the next step.
      await open(page, `${desk.url}/settings/users`);
      await page.getByRole('link', { name, exact: true }).click();
      if (scripts) await awake(page);
      await sound(page);
      const disable = page.locator('details.ask', { has: page.getByText(w.disable, { exact: true }) });
      await disable.locator('summary').click();
      await disable.locator('textarea').fill('退職のため');
      await disable.locator('button[type=submit]').click();
      await expect(said(page)).toContainText(name);
      await theirs.goto(`${desk.url}/stuck`);
      await expect(theirs).toHaveURL(/\/login/);
      expect(heard).toEqual([]);
      await theirs.context().close();

      // All of it is on record.
      await open(page, `${desk.url}/settings/audit`);
      await sound(page);
      await expect(page.locator('table.trail')).toContainText('退職のため');
      await expect(page.locator('table.trail')).toContainText('入れ替えのため');
    });
  });
}
