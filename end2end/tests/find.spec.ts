import type { Page } from '@playwright/test';
import { Desk, awake, complaints, expect, person, signIn, test } from './desk';
import { sound } from './looks';

const box = (page: Page) => page.locator('header.top input[name=q]');
const rows = (page: Page) => page.locator('table.list tbody tr:not(.day)');

async function find(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await page.keyboard.press('Enter');
}

test('a part finds mails, a whole number comes alone and leads on to its parts', async ({ page, desk }) => {
  await desk.post({ order_id: 'find-77', recipient: 'm_2@parts.example.jp' });
  await desk.post({ order_id: 'xfind-77', recipient: 'me2@parts.example.jp' });
  await signIn(page, desk.url, 'support1');
  await find(page, 'm_2@');
  await expect(rows(page)).toHaveCount(1);
  await find(page, '@PARTS.example');
  await expect(rows(page)).toHaveCount(2);
  await find(page, 'find-77');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('link', { name: '「find-77」を一部に含むメールも探す' }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(page).toHaveURL(/match=part/);
  await page.locator('.chip.on a').click();
  await expect(page).toHaveURL(`${desk.url}/submissions`);
  await find(page, '__');
  await expect(page.locator('.hint')).toContainText('3文字以上');
});

test('an id opens its mail, and Back does not come back to it', async ({ page, desk }) => {
  const id = await desk.post({ order_id: 'find-id' });
  const { ref } = await desk.mail(id);
  await signIn(page, desk.url, 'support1');
  for (const text of [ref, `#${id}`, `<${ref}@example.jp>`]) {
    await page.goto(`${desk.url}/stuck`);
    await find(page, text);
    await expect(page).toHaveURL(`${desk.url}/submissions/${id}`);
    await page.goBack();
    await expect(page).toHaveURL(`${desk.url}/stuck`);
  }
});

test('the keys work where nobody writes, and nowhere else', async ({ page, desk }) => {
  await desk.refused('find-keys');
  await signIn(page, desk.url, 'support1');
  const sheet = page.getByRole('dialog');
  for (const path of ['/', '/submissions', '/stuck', '/reports', '/help']) {
    await page.goto(desk.url + path);
    await awake(page);
    await page.keyboard.press('/');
    await expect(box(page)).toBeFocused();
    await expect(box(page)).toHaveValue('');
  }
  // In a field they are what they write.
  await page.keyboard.type('/?');
  await expect(box(page)).toHaveValue('/?');
  await expect(sheet).toBeHidden();
  await box(page).fill('');
  await box(page).blur();
  // Held keys, full-width signs and what an input method has.
  for (const press of [
    { key: '/', ctrlKey: true },
    { key: '?', metaKey: true },
    { key: '／' },
    { key: '？' },
    { key: 'Process', code: 'Slash' },
    { key: '/', isComposing: true },
    { key: '?', keyCode: 229 },
  ]) {
    await page.evaluate((init) => document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })), press);
    await expect(box(page)).not.toBeFocused();
    await expect(sheet).toBeHidden();
  }
  await page.keyboard.press('?');
  await expect(sheet).toBeVisible();
});

test('Enter that confirms a conversion sends nothing', async ({ page, desk }) => {
  const id = await desk.refused('find-compose');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await awake(page);
  await page.locator('details.act summary').first().click();
  const fields = [box(page), page.locator('details.act[open] input:visible').first()];
  for (const field of fields)
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      const goesOn = await field.evaluate((at, more) => at.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more })), init);
      expect(goesOn).toBe(false);
    }
  const plain = await box(page).evaluate((at) => at.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })));
  expect(plain).toBe(true);
});

test('the sheet of keys keeps the focus, closes at Escape and gives it back', async ({ page, desk }) => {
  await signIn(page, desk.url, 'support1');
  await awake(page);
  const sheet = page.getByRole('dialog', { name: '使い方' });
  const link = page.getByRole('banner').getByRole('link', { name: '使い方' });
  await link.focus();
  await page.keyboard.press('?');
  await expect(sheet).toBeVisible();
  const inside = () => page.evaluate(() => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null);
  for (let i = 0; i < 6; i++) {
    expect(await inside()).toBe(true);
    await page.keyboard.press('Tab');
  }
  // What stands behind it is out of reach, keys included.
  await page.keyboard.press('/');
  await expect(sheet).toBeVisible();
  await expect(box(page)).not.toBeFocused();
  await sound(page);
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(link).toBeFocused();
  await link.click();
  await expect(sheet).toBeVisible();
  await expect(page).toHaveURL(`${desk.url}/`);
  await sheet.getByRole('button', { name: '閉じる' }).click();
  await expect(sheet).toBeHidden();
});

test('keys can be switched off, which the browser remembers', async ({ page, desk }) => {
  await signIn(page, desk.url, 'support1');
  await awake(page);
  await page.keyboard.press('?');
  await page.getByRole('switch').uncheck();
  await page.keyboard.press('Escape');
  await page.goto(`${desk.url}/help`);
  await awake(page);
  await expect(page.getByRole('switch')).not.toBeChecked();
  await page.keyboard.press('/');
  await page.keyboard.press('?');
  await expect(box(page)).not.toBeFocused();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('switch').check();
  await page.keyboard.press('/');
  await expect(box(page)).toBeFocused();
});

test('without scripts the help is a page', async ({ browser, desk }) => {
  const page = await person(browser, desk, 'support1', { javaScriptEnabled: false });
  await page.getByRole('link', { name: '使い方' }).click();
  await expect(page).toHaveURL(`${desk.url}/help`);
  await expect(page.locator('h1')).toHaveText('使い方');
  // Without scripts there are no keys; what the states mean is told.
  await expect(page.locator('main kbd')).toHaveCount(0);
  await expect(page.locator('.help-text .st')).toHaveCount(10);
  await page.locator('header.top input[name=q]').fill('no-such-part');
  await page.keyboard.press('Enter');
  await expect(page.locator('.empty')).toBeVisible();
  await page.context().close();
});

test('who sees addresses masked finds them whole alone', async ({ browser }) => {
  const desk = await Desk.start({ DENPYO_MASK_ADDRESSES: 'support' });
  await desk.post({ order_id: 'masked-1', recipient: 'tanaka@example.jp' });
  const page = await person(browser, desk, 'support1');
  const heard = complaints(page);
  await find(page, 'tanaka');
  await expect(page.locator('.hint')).toContainText('宛先は全部を入力したときだけ');
  await find(page, 'tanaka@example.jp');
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator('table.list')).toContainText('ta•••@example.jp');
  await expect(page.locator('table.list')).not.toContainText('tanaka@');
  expect(heard).toEqual([]);
  await page.context().close();
  await desk.stop();
});

test('errors are one line by cause, and lead to their mails', async ({ page, desk }) => {
  const first = await desk.refused('cause-1', { recipient: 'tanaka@cause.example.jp' });
  await desk.refused('cause-2', { recipient: 'sato@cause.example.jp' });
  const { error } = await desk.mail(first);
  await signIn(page, desk.url, 'support1');
  await page.getByRole('link', { name: 'エラーの内訳を見る' }).click();
  await expect(page.locator('h1')).toHaveText('エラーの内訳');
  // Taken in within a moment of the refusal.
  const line = page.locator('table.errors tbody tr', { hasText: 'SendGrid 400' }).first();
  await expect(async () => {
    await page.reload();
    expect(Number(await line.locator('td').first().innerText())).toBeGreaterThanOrEqual(2);
  }).toPass();
  await expect(page.locator('table.errors')).not.toContainText('@');
  await line.getByRole('link').click();
  await expect(page).toHaveURL(/error=[0-9a-f]{16}-7/);
  await expect(page.locator('table.list')).toContainText('cause-1');
  await expect(page.locator('table.list')).toContainText('cause-2');
  await page.locator('.chip.on a').click();
  await expect(page).toHaveURL(`${desk.url}/submissions`);
  await page.goto(`${desk.url}/submissions/errors`);
  await page.getByRole('link', { name: '30日間' }).click();
  await expect(page.getByRole('link', { name: '30日間' })).toHaveAttribute('aria-current', 'true');
  expect(error).toBeTruthy();
});
