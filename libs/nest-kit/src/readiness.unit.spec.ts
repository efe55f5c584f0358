import { Readiness } from './http-endpoint';

describe('readiness', () => {
  it('names each part that is not ready, with the reason as it is now', () => {
    const readiness = new Readiness();
    let reason: string | undefined = 'reading what happened before the start';
    readiness.register('views', () => reason);
    readiness.register('bus', () => undefined);
    expect(readiness.notReady()).toEqual([{ part: 'views', reason }]);
    reason = undefined;
    expect(readiness.notReady()).toEqual([]);
  });
});
