import type { Locator, Page } from '@playwright/test';
import { awake, expect, signIn, test } from './desk';

/** A picture's dots, as one number each: how far from the most frequent one they are. */
async function dots(page: Page, png: Buffer): Promise<{ width: number; height: number; ink: number[] }> {
  // On a page of its own: the desk's policy lets nobody read pictures.
  const reader = await page.context().newPage();
  const read = await reader.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d')!;
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const colours: number[][] = [];
    for (let i = 0; i < data.length; i += 4) colours.push([data[i]!, data[i + 1]!, data[i + 2]!]);
    const paper = colours[0]!;
    const ink = colours.map((c) => Math.max(...c.map((part, i) => Math.abs(part - paper[i]!))));
    return { width: image.width, height: image.height, ink };
  }, png.toString('base64'));
  await reader.close();
  return read;
}

/** How much of a picture is far from its paper. */
const inked = (ink: number[]) => ink.filter((far) => far > 100).length / ink.length;

const SHAPES = ['pending', 'sending', 'check', 'accepted', 'delivered', 'bounced', 'complained', 'failed', 'rejected', 'canceled'];

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the system's own colours, ${colorScheme}`, () => {
    test.use({ colorScheme, forcedColors: 'active' });

    test.describe('seen closely', () => {
      test.use({ deviceScaleFactor: 4 });
      test('every state keeps a shape of its own', async ({ page, demo }) => {
        await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
        await page.goto(`${demo.url}/submissions`);
        await awake(page);
        // One badge of each state, made of the page's own parts; at rest, or the dash would be anywhere.
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await page.evaluate((names) => {
          const badge = document.querySelector('table.list .st')!;
          const strip = document.createElement('div');
          strip.id = 'strip';
          for (const name of names) {
            const one = badge.cloneNode(true) as Element;
            one.className = `st c-${name} quiet`;
            one.querySelector('use')!.setAttribute('href', `#s-${name}`);
            strip.append(one);
          }
          document.querySelector('main')!.prepend(strip);
        }, SHAPES);
        const seen = new Map<string, number[]>();
        for (const [i, name] of SHAPES.entries()) {
          const svg = page.locator('#strip .st').nth(i).locator('svg');
          const { ink, width, height } = await dots(page, await padded(page, svg, 2));
          const share = inked(ink);
          expect(share, `${name} is seen`).toBeGreaterThan(0.06);
          seen.set(name, ink.map((far) => (far > 100 ? 1 : 0)));
          expect([width, height], name).toEqual([64, 64]);
        }
        for (const [one, a] of seen)
          for (const [other, b] of seen) {
            if (one >= other) continue;
            const apart = a.filter((dot, i) => dot !== b[i]).length / a.length;
            expect(apart, `${one} is told from ${other}`).toBeGreaterThan(0.04);
          }
      });
    });

    test('bars and the ring of what has the focus are seen', async ({ page, demo }) => {
      test.slow();
      await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
      await awake(page);
      const plot = page.locator('.chart svg.plot').first();
      const bars = plot.locator('rect');
      const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const drawn = await bars.evaluateAll((all) =>
        all
          .filter((bar) => bar.getBoundingClientRect().height > 0)
          .map((bar) => [getComputedStyle(bar).fill, getComputedStyle(bar).stroke]),
      );
      expect(drawn.length).toBeGreaterThan(2);
      // Filled or edged, each bar differs from the paper; and more than one way, so that states differ.
      for (const [fill, stroke] of drawn) expect(fill === paper && stroke === paper).toBe(false);
      expect(new Set(drawn.map(([fill]) => fill)).size).toBeGreaterThan(1);
      const { ink } = await dots(page, await plot.screenshot());
      expect(inked(ink)).toBeGreaterThan(0.02);

      for (const target of [page.locator('nav.rail li a').nth(1), page.locator('header.top input[name=q]'), page.locator('header.top button').first()]) {
        await page.locator('h1').click();
        const before = await dots(page, await padded(page, target, 6));
        await page.keyboard.press('Shift');
        await target.focus();
        const style = await target.evaluate((element) => {
          const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
          return [outlineStyle, outlineWidth, outlineColor];
        });
        expect(style.slice(0, 2)).toEqual(['solid', '2px']);
        expect(style[2]).not.toBe(paper);
        const after = await dots(page, await padded(page, target, 6));
        const changed = after.ink.filter((far, i) => Math.abs(far - before.ink[i]!) > 60).length;
        expect(changed).toBeGreaterThan(80);
      }
    });
  });
}

/** An element with some room around it. */
async function padded(page: Page, element: Locator, room: number): Promise<Buffer> {
  await element.scrollIntoViewIfNeeded();
  const box = (await element.boundingBox())!;
  const clip = { x: box.x - room, y: box.y - room, width: box.width + 2 * room, height: box.height + 2 * room };
  return page.screenshot({ clip });
}

/** How many of each role the browser itself tells about a table, and its row headers' names. */
async function told(page: Page, selector: string): Promise<{ counts: Record<string, number>; heads: string[] }> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send('DOM.getDocument', {});
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { nodes } = await session.send('Accessibility.queryAXTree', { nodeId });
  await session.detach();
  const counts: Record<string, number> = {};
  const heads: string[] = [];
  for (const node of nodes) {
    const role: string = node.ignored ? '' : node.role?.value;
    if (!['table', 'row', 'columnheader', 'cell', 'rowheader'].includes(role)) continue;
    counts[role] = (counts[role] ?? 0) + 1;
    if (role === 'rowheader') heads.push(node.name?.value ?? '');
  }
  return { counts, heads };
}

test('list and histogram are the same tables to a screen reader, on a phone too', async ({ page, demo }) => {
  await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
  for (const [path, selector] of [['/submissions?status=failed', 'table.list'], ['/', 'table.hist']] as const) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${demo.url}${path}`);
    await awake(page);
    const wide = await told(page, selector);
    await page.setViewportSize({ width: 360, height: 740 });
    const narrow = await told(page, selector);
    expect(narrow, path).toEqual(wide);
    expect(wide.counts, path).toMatchObject({ table: 1 });
    for (const role of ['row', 'columnheader', 'cell', 'rowheader']) expect(wide.counts[role], `${path} ${role}`).toBeGreaterThan(2);
    if (selector === 'table.list') {
      const orders = await page.locator('table.list .k-order').allInnerTexts();
      expect(wide.heads.filter((name) => /^\d+$/.test(name))).toEqual(orders);
      expect(wide.counts.columnheader).toBe(7);
      // A day's head, the head line, and a row a mail.
      expect(wide.counts.row).toBe(wide.counts.rowheader! + 1);
      expect(wide.counts.cell).toBe(orders.length * 6);
    }
  }
});
