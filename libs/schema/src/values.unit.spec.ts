import { jsonFault, urlHost } from './values';

describe('urlHost', () => {
  it.each([
    ['::1', '[::1]'],
    ['192.0.2.1', '192.0.2.1'],
    ['muster.example.com', 'muster.example.com'],
  ])('returns %s as %s', (host, expected) => {
    expect(urlHost(host)).toBe(expected);
    expect(new URL(`http://${urlHost(host)}:80/`).hostname).toBe(expected);
  });
});

describe('jsonFault', () => {
  const faultOf = (text: string): string => {
    try {
      JSON.parse(text);
      return 'none';
    } catch (error) {
      return jsonFault(error);
    }
  };

  it.each([
    ['a short text', 'hunter2'],
    ['a long text', `{"a": "${'a'.repeat(100)}", "password": hunter2, "b": "${'b'.repeat(100)}"}`],
    ['a text with line breaks', '{"password":\n"hunter2",\n}\n'],
    ['a text that ends as the message does', '"hunter2" is not valid JSON'],
    ['an open string', '{"password":"hunter2'],
  ])('does not repeat the content of %s', (_, text) => {
    expect(faultOf(text)).toMatch(/^(?:Unexpected|Expected|Unterminated|Bad) /);
    expect(faultOf(text)).not.toMatch(/hunt|nter2|password/);
  });
});
