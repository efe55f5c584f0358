import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Answers up to this size go out in one write; beyond it copying them together costs more than writing them one by one. */
const WHOLE_MAX_BYTES = 8 * 1024 * 1024;

/** One JSON text in several parts, sent as it is: nothing is built twice, and a large one is never in one place. */
export function jsonPieces(pieces: readonly Buffer[]): StreamableFile {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const body = length <= WHOLE_MAX_BYTES ? [Buffer.concat(pieces)] : pieces;
  return new StreamableFile(Readable.from(body, { objectMode: false }), { type: JSON_TYPE, length });
}

/** The parts of a JSON list of texts. */
export function jsonList(texts: readonly (readonly Buffer[])[]): readonly Buffer[] {
  return [OPEN, ...texts.flatMap((pieces, index) => (index === 0 ? pieces : [COMMA, ...pieces])), CLOSE];
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
