import { awake, expect, signIn, test } from './desk';

test('the list is found by order number, by recipient however pasted, and by id', async ({ page, desk }) => {
  const id = await desk.post({ order_id: 'list-1', recipient: 'Front.Desk@Example.JP' });
  await desk.post({ order_id: 'list-2', recipient: 'other@example.jp' });
  await signIn(page, desk.url, 'support1');
  for (const q of ['list-1', ' front.desk@example.jp ', '受付 <FRONT.DESK@example.jp>', 'mailto:front.desk@example.jp']) {
    await page.locator('header.top input[name=q]').fill(q);
    await page.keyboard.press('Enter');
    await expect(page.locator('table.list tbody tr:not(.day)')).toHaveCount(1);
    await expect(page.locator('table.list')).toContainText('Front.Desk@Example.JP');
  }
  await page.locator('header.top input[name=q]').fill(String(id));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${desk.url}/submissions/${id}`);
  await page.locator('header.top input[name=q]').fill('list-999');
  await page.keyboard.press('Enter');
  await expect(page.locator('.empty')).toContainText('「list-999」のメールはありません');
});

test('filters stand in the URL, and each can be removed', async ({ page, desk }) => {
  await desk.refused('list-filter', { kind: 'invoice' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions`);
  await page.locator('.filters summary').first().click();
  await page.locator('input[name=status][value=rejected]').check();
  await page.locator('.filters .menu button:visible').click();
  await expect(page).toHaveURL(/status=rejected/);
  await expect(page.locator('table.list')).toContainText('list-filter');
  await page.locator('.filters .chip.on a').click();
  await expect(page).not.toHaveURL(/status=rejected/);
});

test('what cannot be understood is said, and the rest is shown', async ({ page, desk }) => {
  await desk.post({ order_id: 'list-hint' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions?status=sent&from=2026-11-31&cursor=x&kind=&needs=`);
  await expect(page.locator('.hint')).toHaveCount(3);
  await expect(page.locator('table.list')).toContainText('list-hint');
});

test('pages of older and newer mails lose none', async ({ page, desk }) => {
  for (let i = 0; i < 60; i++) await desk.post({ order_id: `page-${i}`, kind: 'paging' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions?kind=paging`);
  const orders = () => page.locator('table.list tbody th[scope=row]').allInnerTexts();
  await expect.poll(async () => (await orders()).length).toBe(50);
  const first = await orders();
  await page.locator('.pager a[rel=next]').click();
  await expect.poll(async () => (await orders()).length).toBe(10);
  const second = await orders();
  expect(new Set([...first, ...second]).size).toBe(60);
  await page.locator('.pager a[rel=prev]').click();
  await expect.poll(orders).toEqual(first);
});

test('a phone and a wide screen read the same table', async ({ page, desk }) => {
  await desk.post({ order_id: 'table-1' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions`);
  const counts = async () => {
    const table = page.getByRole('table');
    return {
      rows: await table.getByRole('row').count(),
      heads: await table.getByRole('columnheader').count(),
      rowHeads: await table.getByRole('rowheader').count(),
      cells: await table.getByRole('cell').count(),
    };
  };
  await page.setViewportSize({ width: 1280, height: 800 });
  const wide = await counts();
  expect(wide.heads).toBe(7);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await counts()).toEqual(wide);
});

test('a menu closes at Escape and at a click elsewhere', async ({ page, desk }) => {
  await desk.post({ order_id: 'menu-1' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions`);
  await awake(page);
  const open = page.locator('.filters details[open]');
  await page.locator('.filters summary').first().click();
  await expect(open).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(open).toHaveCount(0);
  await page.locator('.filters summary').first().click();
  await page.locator('h1').click();
  await expect(open).toHaveCount(0);
});

test('dates are understood as typed, and what is no date stays to be corrected', async ({ page, desk }) => {
  await desk.post({ order_id: 'dates-1' });
  await signIn(page, desk.url, 'support1');
  for (const typed of ['令和8年11月1日', 'R8.11.1', '2026/11/1', '２０２６－１１－０１']) {
    await page.goto(`${desk.url}/submissions?from=${encodeURIComponent(typed)}`);
    await expect(page.locator('#from')).toHaveValue('2026-11-01');
  }
  await page.goto(`${desk.url}/submissions?from=2026-11-31`);
  await expect(page.locator('#from')).toHaveValue('2026-11-31');
  await expect(page.locator('#from')).toHaveAttribute('aria-invalid', 'true');
});
