import { RequestLogEntry } from '@muster/nest-kit';
import { createLogger } from './logger';

describe('the logger of the process', () => {
  it.each([
    ['text', ['a | b request=r-1 correlation=c-1']],
    ['json', ['"requestId":"r-1"', '"correlationId":"c-1"']],
  ])('adds the ids of a request to its entries as %s, on one line', (LOG_FORMAT, ids) => {
    const lines: string[] = [];
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      const logger = createLogger({ LOG_FORMAT, LOG_LEVEL: 'info' });
      logger.log('outside', 'gateway');
      logger.log(new RequestLogEntry('a\n b', { requestId: 'r-1', correlationId: 'c-1' }), 'gateway');
    } finally {
      write.mockRestore();
    }
    expect(lines).toHaveLength(2);
    expect(lines[0]).not.toContain('r-1');
    for (const id of ids) expect(lines[1]).toContain(id);
    expect(lines[1]?.trimEnd()).not.toContain('\n');
  });

  it('writes the stack of an error into the JSON object of its entry, and nothing else', () => {
    const lines: string[] = [];
    const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      createLogger({ LOG_FORMAT: 'json' }).error('it failed', new Error('it failed').stack, 'gateway');
    } finally {
      write.mockRestore();
    }
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ message: 'it failed', stack: expect.stringContaining('logger.unit.spec') }),
    ]);
  });
});
