import { givenEvents } from '@muster/testing';
import { type DownloadsCommand, downloadsDecider } from './downloads';

const facts = { infraEnvId: 'e', imageType: 'full-iso', version: '4.18', arch: 'x86_64', bytes: 5, changedMs: 7 };
const started: DownloadsCommand = { type: 'StartDownload', ...facts };
const completed: DownloadsCommand = { type: 'CompleteDownload', ...facts };
const { changedMs, ...image } = facts;
const first = { type: 'ImageFirstDownloaded', data: image } as const;
const end = {
  type: 'ImageDownloadCompleted',
  data: { infraEnvId: 'e', imageType: 'full-iso', bytes: 5, changedMs },
} as const;

describe('downloads of an infra-env', () => {
  it('store an event for the first start and the first completion only', () => {
    givenEvents(downloadsDecider, []).when(started).then([first]);
    givenEvents(downloadsDecider, [first]).when(started).then([]);
    givenEvents(downloadsDecider, [first]).when(completed).then([end]);
    givenEvents(downloadsDecider, [first, end]).when(completed).then([]);
  });

  it('store a completion once per image type', () => {
    givenEvents(downloadsDecider, [first, end])
      .when({ ...completed, imageType: 'minimal-iso' })
      .then([{ type: 'ImageDownloadCompleted', data: { ...end.data, imageType: 'minimal-iso' } }]);
  });

  it('store a completion again after the infra-env has changed, because its image may have another size', () => {
    const changed: DownloadsCommand = { ...completed, bytes: 6, changedMs: 8 };
    const again = { type: 'ImageDownloadCompleted', data: { ...end.data, bytes: 6, changedMs: 8 } } as const;
    givenEvents(downloadsDecider, [first, end]).when(changed).then([again]);
    givenEvents(downloadsDecider, [first, end, again]).when(changed).then([]);
    // A slow download of the image before the change.
    givenEvents(downloadsDecider, [first, end, again]).when(completed).then([]);
  });
});
