/** Location and credentials of a bucket. */
export interface MinioLocation {
  readonly endPoint: string;
  readonly port: number;
  readonly useSSL: boolean;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
}

const EXPECTED = 'http(s)://<key>:<secret>@<host>[:<port>]/<bucket>';

/** Parses `http(s)://key:secret@host[:port]/bucket`. Throws, without the secret, when a part is missing. */
export const parseMinioUrl = (text: string): MinioLocation => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const useSSL = url?.protocol === 'https:';
  const bucket = url?.pathname.replace(/^\/|\/$/g, '') ?? '';
  const isComplete =
    url && (useSSL || url.protocol === 'http:') && url.username && url.password && /^[^/]+$/.test(bucket);
  if (!isComplete) throw new Error(`The address of the object store is not of the form ${EXPECTED}.`);
  return {
    endPoint: url.hostname,
    port: url.port ? Number(url.port) : useSSL ? 443 : 80,
    useSSL,
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
    bucket,
  };
};
