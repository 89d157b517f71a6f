import { PASSWORD, expect, signIn, test } from './desk';

for (const role of ['support', 'lead', 'admin']) {
  test(`${role} signs in and out, and Back shows nothing`, async ({ page, desk }) => {
    await signIn(page, desk.url, `${role}1`);
    await expect(page.locator('header.top')).toContainText(`${role}1`);
    const id = await desk.post({ order_id: `signin-${role}` });
    await page.goto(`${desk.url}/submissions/${id}`);
    await expect(page.locator('h1')).toContainText(`signin-${role}`);
    await page.getByRole('button', { name: 'サインアウト' }).click();
    await expect(page).toHaveURL(`${desk.url}/login`);
    await page.goBack();
    await expect(page).toHaveURL(/\/login/);
    await expect(page.locator('body')).not.toContainText(`signin-${role}`);
  });
}

test('a page asked for before signing in is shown afterwards', async ({ page, desk }) => {
  await page.goto(`${desk.url}/submissions?status=failed`);
  await expect(page.locator('input[name=name]')).toBeFocused();
  await page.locator('input[name=name]').fill('support1');
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${desk.url}/submissions?status=failed`);
});

test('a wrong name and a wrong password look the same', async ({ page, desk }) => {
  const texts: string[] = [];
  for (const name of ['support1', 'nobody']) {
    await page.goto(`${desk.url}/login`);
    await page.locator('input[name=name]').fill(name);
    await page.locator('input[name=password]').fill('wrong');
    await page.keyboard.press('Enter');
    await expect(page.locator('.error')).toBeVisible();
    texts.push((await page.locator('main').innerText()).trim());
  }
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toContain('サインイン名かパスワードが違います。');
});
