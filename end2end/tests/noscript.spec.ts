import { expect, signIn, test } from './desk';

test.use({ javaScriptEnabled: false });

test('the whole path works without scripts', async ({ page, desk }) => {
  const refused = await desk.refused('noscript-1');
  await signIn(page, desk.url, 'support1');
  await expect(page.locator('h1')).toHaveText('概要');
  await page.locator('header.top input[name=q]').fill('noscript-1');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'noscript-1', exact: true }).click();
  await page.getByRole('button', { name: '再送する' }).click();
  await expect(page).toHaveURL(`${desk.url}/submissions/${refused}`);
  await expect(page.locator('body')).toContainText('2回目');
  // Told once: a reload repeats neither the act nor the notice.
  await page.reload();
  await expect(page.getByText('2回目の送信です')).toHaveCount(0);
  const mail = await desk.until(refused, 'accepted', (m) => m.status === 'synced');
  expect(mail.attempts).toBe(2);
});

test('going back and pressing again is refused politely, with who and when', async ({ page, desk }) => {
  const id = await desk.refused('noscript-back');
  await signIn(page, desk.url, 'lead1');
  await page.goto(`${desk.url}/submissions/${id}`);
  const other = await page.context().newPage();
  await other.goto(`${desk.url}/submissions/${id}`);
  await page.getByRole('button', { name: '再送する' }).click();
  await desk.until(id, 'accepted', (m) => m.status === 'synced');
  await other.getByRole('button', { name: '再送する' }).click();
  await expect(other.locator('body')).toContainText('lead1');
  await expect(other).toHaveURL(`${desk.url}/submissions/${id}`);
  expect((await desk.mail(id)).attempts).toBe(2);
  expect(await desk.accepted('noscript-back')).toBe(1);
});

test('an unknown outcome is answered without scripts', async ({ page, desk }) => {
  const id = await desk.unanswered('noscript-stuck');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/stuck`);
  const item = page.locator('article.case').filter({ hasText: 'noscript-stuck' });
  // Blanks satisfy the browser, not the desk.
  await item.getByText('送信されていた', { exact: true }).click();
  await item.locator('textarea:visible').fill('   ');
  await item.getByRole('button', { name: '送信済みと確定する' }).click();
  await expect(page.getByText('理由を入れてください。').first()).toBeVisible();
  expect((await desk.mail(id)).status).toBe('requesting');
  // The form is open again, and says what it wants.
  await expect(item.locator('.error:visible')).toContainText('理由を入れてください。');
  await item.locator('textarea:visible').fill('お客様からうかがいました。');
  await item.getByRole('button', { name: '送信済みと確定する' }).click();
  await expect(page).toHaveURL(`${desk.url}/stuck`);
  await expect(page.locator('article.case').filter({ hasText: 'noscript-stuck' })).toHaveCount(0);
  expect((await desk.mail(id)).settled_by).toBe('person');
});

test('after signing out, Back shows the sign-in page', async ({ page, desk }) => {
  const id = await desk.post({ order_id: 'noscript-out' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await page.getByRole('button', { name: 'サインアウト' }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.goBack();
  await expect(page.locator('body')).not.toContainText('noscript-out');
});
