import { RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type ImageConfig } from '../config';
import { planResponse } from '../http/plan-response';
import { sendBody } from '../http/send-image';
import { DiscoveryImages, type ImageRequest } from './discovery-images';
import { Downloads } from './downloads';

/** Answers one request for an image, whichever address it came to. */
@Injectable()
export class ImageResponder {
  private readonly logger = new Logger('image');
  private running = 0;

  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    private readonly images: DiscoveryImages,
    private readonly downloads: Downloads,
  ) {}

  /** Takes the reply over. Throws RefusalError before anything is sent. */
  async answer(wanted: ImageRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.running >= this.config.concurrentRequestsMax) {
      throw new RefusalError({
        code: 'busy',
        reason: `${this.running} images are being sent, which is as many as MAX_CONCURRENT_REQUESTS allows; try again soon.`,
      });
    }
    this.running += 1;
    try {
      await this.send(wanted, request, reply);
    } finally {
      this.running -= 1;
    }
  }

  private async send(wanted: ImageRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const image = await this.images.make(wanted);
    const plan = planResponse(request.headers, image);
    reply.hijack();
    reply.raw.writeHead(plan.status, {
      ...plan.headers,
      'content-disposition': `attachment; filename="${wanted.infraEnvId}-discovery.iso"`,
    });
    if (request.method === 'HEAD' || plan.body.length === 0) return void reply.raw.end();
    const facts = {
      infraEnvId: wanted.infraEnvId,
      imageType: wanted.type,
      version: wanted.version,
      arch: wanted.architecture,
      bytes: image.size,
    };
    this.downloads.record({ type: 'StartDownload', ...facts }, request.ip);
    try {
      const isSent = await sendBody(reply.raw, image.source, plan.body);
      if (isSent && plan.isLastPart) this.downloads.record({ type: 'CompleteDownload', ...facts }, request.ip);
    } catch (error) {
      this.logger.error(`The image of infra-env ${wanted.infraEnvId} was cut off: ${String(error)}`);
    }
  }
}
