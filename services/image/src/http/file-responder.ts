import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ByteSource } from '@muster/boot-image';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type ImageConfig } from '../config';
import { planResponse, type Representation } from './plan-response';
import { sendBody } from './send-image';

/** Bytes to send. They occupy resources until `release`. */
export interface SentFile extends Representation {
  readonly source: ByteSource;
  /** When the infra-env of an image had changed last, in milliseconds since the epoch. */
  readonly changedMs?: number;
  /** File name for clients. Plain ASCII without quotes. */
  readonly fileName: string;
  release(): void;
}

const ETAG_CHARACTERS = 40;

/** Returns a strong ETag: the same parts in the same order mean the same bytes. */
export function etagOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  // Each part is preceded by its length, so that two different lists cannot give the same input.
  for (const part of parts) hash.update(`${part.length}\n`).update(part);
  return `"${hash.digest('hex').slice(0, ETAG_CHARACTERS)}"`;
}

/** Receives the result of each download with a body. */
export interface DownloadListener {
  started(file: SentFile): void;
  /** The client received the last byte, with this response or after earlier ranges. */
  completed(file: SentFile): void;
}

export interface AnswerOptions {
  readonly listener?: DownloadListener;
  /**
   * At the limit of concurrent downloads, the request waits for its turn, as in assisted-image-service. Firmware, management controllers and
   * the ramdisk of a live system give up after a few refusals, and then their machine does not boot.
   */
  readonly mayWait?: boolean;
}

const WAITING_DOWNLOADS_MAX = 10_000;

/** Answers requests for files on all paths. */
@Injectable()
export class FileResponder {
  private readonly logger = new Logger('image');
  private running = 0;
  /** Requests that wait for their turn, in order. */
  private readonly waiting = new Set<() => void>();

  constructor(@Inject(CONFIG) private readonly config: ImageConfig) {}

  /**
   * Sends the response.
   * @throws RefusalError before anything is sent
   */
  async answer(
    make: () => Promise<SentFile>,
    request: FastifyRequest,
    reply: FastifyReply,
    { listener, mayWait = false }: AnswerOptions = {},
  ): Promise<void> {
    await this.takeTurn(mayWait, reply.raw);
    try {
      const file = await make();
      await this.send(file, request, reply, listener).finally(() => file.release());
    } finally {
      this.passOn();
    }
  }

  /** @throws RefusalError `busy` when the request must not wait, or when its client disconnected */
  private async takeTurn(mayWait: boolean, response: ServerResponse): Promise<void> {
    if (this.running < this.config.concurrentRequestsMax) {
      this.running += 1;
      return;
    }
    const refusal = new RefusalError({
      code: 'busy',
      reason: `The limit of ${this.running} concurrent downloads (MAX_CONCURRENT_REQUESTS) is reached. Retry later.`,
    });
    if (!mayWait || this.waiting.size >= WAITING_DOWNLOADS_MAX) throw refusal;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(go);
        reject(refusal);
      };
      const go = (): void => {
        response.removeListener('close', leave);
        resolve();
      };
      this.waiting.add(go);
      response.once('close', leave);
    });
  }

  /** Gives the turn of a request that has ended to the next one. */
  private passOn(): void {
    const [next] = this.waiting;
    if (!next) {
      this.running -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }

  private async send(
    file: SentFile,
    request: FastifyRequest,
    reply: FastifyReply,
    listener?: DownloadListener,
  ): Promise<void> {
    const plan = planResponse(request.headers, file);
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    reply.raw.writeHead(plan.status, {
      ...plan.headers,
      'content-disposition': `attachment; filename="${file.fileName}"`,
    });
    if (request.method === 'HEAD' || plan.body.length === 0) return void reply.raw.end();
    listener?.started(file);
    try {
      const isSent = await sendBody(reply.raw, file.source, plan.body);
      if (isSent && plan.isLastPart) listener?.completed(file);
    } catch (error) {
      // The route pattern is logged instead of the URL, because the URL may contain a token.
      this.logger.error(
        `${request.routeOptions.url ?? ''}: ${file.fileName} ended before all bytes were sent: ${String(error)}`,
      );
    }
  }
}
