import { randomUUID } from 'node:crypto';

/** Body and headers of a form with one file, in the form field that the v2 API defines. */
export function multipartFile(
  fileName: string,
  content: Buffer,
): { readonly body: Buffer; readonly headers: { readonly 'content-type': string } } {
  const boundary = `muster-${randomUUID()}`;
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="upfile"; filename="${fileName}"`,
    'Content-Type: application/gzip',
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
