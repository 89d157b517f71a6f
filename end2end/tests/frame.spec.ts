import { expect, signIn, test } from './desk';

test.use({ colorScheme: 'dark' });

const BODIES = {
  'no colours': '<p>お届け予定</p>',
  'black text': '<p style="color:#000">お届け予定</p>',
  'a light background': '<div style="background:#f5f5f5"><p>お届け予定</p></div>',
  'a dark background': '<div style="background:#222"><p>お届け予定</p></div>',
  'a coloured body': '<html><body style="background:#1a1a2e"><p style="color:#fff">お届け予定</p></body></html>',
  'an old body': '<html><body bgcolor="#000080" text="white"><p>お届け予定</p></body></html>',
};

for (const [name, html] of Object.entries(BODIES)) {
  test(`in the dark theme a mail with ${name} is readable`, async ({ page, desk }) => {
    const id = await desk.post({ order_id: `frame-${name}`, body_html: html });
    await signIn(page, desk.url, 'support1');
    await page.goto(`${desk.url}/submissions/${id}/body`);
    // WCAG's contrast of the text with the nearest background behind it.
    const contrast = await page.locator('p').evaluate((p) => {
      const numbers = (colour: string) => colour.match(/[\d.]+/g)!.map(Number);
      const luminance = (colour: string) => {
        const [r, g, b] = numbers(colour).map((v) => {
          const x = v / 255;
          return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
      };
      let behind: Element | null = p;
      while (behind && numbers(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
      const [a, b] = [luminance(getComputedStyle(p).color), luminance(getComputedStyle(behind!).backgroundColor)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    });
    expect(contrast).toBeGreaterThanOrEqual(4.5);
  });
}
