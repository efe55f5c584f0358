import { commandsOfReply } from './step-replies';

const AT = '2024-01-01T00:00:00.000Z';
const failed = (error: string) =>
  commandsOfReply(
    { isMediaConnected: true },
    { stepType: 'download-boot-artifacts', exitCode: 1, error, output: '' },
    AT,
  );

describe('the commands of a failed download of boot artifacts', () => {
  it.each([
    [
      'http://images.example.com/images/i/pxe-initrd?arch=x86_64&api_key=canary could not be downloaded: no route',
      'http://images.example.com/images/i/pxe-initrd could not be downloaded: no route',
    ],
    [
      'Get "https://images.example.com:8080/i?image_token=canary": dial tcp: refused',
      'Get "https://images.example.com:8080/i": dial tcp: refused',
    ],
    ['There is no space left on the device?', 'There is no space left on the device?'],
    ['http://a/b?c=canary?d=canary and https://e?f', 'http://a/b and https://e'],
    ['http://'.repeat(200), 'http://'.repeat(200).slice(0, 1_000)],
  ])('contain its error without tokens: %s', (error, reason) => {
    expect(failed(error)).toEqual([{ type: 'FailReclaim', at: AT, reason }]);
  });
});
