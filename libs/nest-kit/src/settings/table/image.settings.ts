import { Type } from '@sinclair/typebox';
import { bytes, choice, integer, json, path, port, text } from '../setting';

const IMAGE = { readBy: ['image'] } as const;
const MEBIBYTE = 1024 ** 2;

/** Settings of the image service. */
export const IMAGE_SETTINGS = {
  IMAGE_HOST: text({ ...IMAGE, fallback: '0.0.0.0', meaning: 'The address on which the image service listens.' }),
  IMAGE_PORT: port({
    readBy: ['gateway', 'ignition', 'image'],
    fallback: 8_888,
    aliases: ['IMAGE_SERVICE_PORT', 'LISTEN_PORT'],
    meaning: 'The port on which the image service listens. 0: any free port.',
  }),
  HTTP_LISTEN_PORT: port({
    readBy: ['gateway', 'ignition', 'image'],
    fallbackText: 'none',
    meaning:
      'A port for plain HTTP. When the image service also has a port with TLS, this port serves only the files for network boot. iPXE scripts then have http links: with this port, or without a port when `IMAGE_SERVICE_BASE_URL` has none.',
  }),
  HTTPS_KEY_FILE: path({
    readBy: ['gateway', 'ignition', 'image'],
    meaning: 'The PEM file with the private key of the image service, and of the REST API with `SERVE_HTTPS=true`.',
  }),
  HTTPS_CERT_FILE: path({
    readBy: ['gateway', 'ignition', 'image'],
    meaning: 'The PEM file with the certificate of the image service, and of the REST API with `SERVE_HTTPS=true`.',
  }),
  MUSTER_HOST_BINARY: choice({
    ...IMAGE,
    choices: ['download', 'in-image'],
    fallback: 'download',
    meaning:
      'How hosts get the executable of `MUSTER_HOST_BINARIES`: they download it, or the ramdisk of the image contains it (`in-image`, about 40 MB more per image). Use `in-image` where sites block downloads.',
  }),
  IMAGE_DIRECTORY: path({ ...IMAGE, fallback: '.', meaning: 'The directory of images whose `url` is a path.' }),
  OS_IMAGES_FETCH: choice({
    ...IMAGE,
    choices: ['lazy', 'eager', 'stream'],
    fallback: 'lazy',
    meaning:
      'When remote images are downloaded. lazy: when an infra-env of their version and architecture is registered, at the latest at the first request. eager: at the start. stream: never, they are read in place. A failed download is repeated at the next request, and every five minutes. When the file was wrong, the wait doubles each time, up to one hour.',
  }),
  DATA_DIR: path({
    ...IMAGE,
    fallbackText: '`base-images` in the data directory',
    meaning:
      'The directory for downloaded images. Further replicas of the image service that share it use directories `replica-2`, `replica-3` and so on in it.',
  }),
  OS_IMAGES_STORE_BYTES_MAX: bytes({
    ...IMAGE,
    fallback: 100 * 1024 ** 3,
    min: 1,
    meaning: 'The size of the directory for downloaded images. The least recently used image is removed first.',
  }),
  OS_IMAGES_ROOTFS_BYTES_MIN: bytes({
    ...IMAGE,
    fallback: 100 * MEBIBYTE,
    meaning: 'A downloaded image with a smaller root file system is refused.',
  }),
  OS_IMAGES_KERNEL_BYTES_MIN: bytes({
    ...IMAGE,
    fallback: 5 * MEBIBYTE,
    meaning: 'A downloaded image with a smaller kernel is refused.',
  }),
  OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE: path({
    ...IMAGE,
    meaning:
      'The PEM file with certificate authorities that are trusted for downloads in addition to those of the system.',
  }),
  OS_IMAGES_REQUEST_HEADERS: json({
    ...IMAGE,
    schema: Type.Record(Type.String(), Type.String()),
    expected: 'a JSON object whose values are strings',
    isSecret: true,
    meaning: 'A JSON object of headers that are sent with every download of an image.',
  }),
  OS_IMAGES_REQUEST_QUERY_PARAMS: json({
    ...IMAGE,
    schema: Type.Record(Type.String(), Type.String()),
    expected: 'a JSON object whose values are strings',
    isSecret: true,
    meaning: 'A JSON object of query parameters that are sent with every download of an image.',
  }),
  MAX_CONCURRENT_REQUESTS: integer({
    ...IMAGE,
    fallback: 400,
    min: 1,
    max: 100_000,
    meaning:
      'The number of concurrent requests. A further request for a whole image is answered with 503 and `Retry-After`; one for a range of an image, or for a file of a network boot or of a minimal image, waits for its turn. A client that reads less than 64 KiB in ten minutes is disconnected.',
  }),
};
