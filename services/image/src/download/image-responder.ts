import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type ImageConfig } from '../config';
import { FileResponder } from '../http/file-responder';
import type { SentFile } from '../http/sent-file';
import { NetworkBootImages, type NetworkBootRequest } from '../network-boot/network-boot-images';
import { DiscoveryImages, type ImageRequest } from './discovery-images';
import { Downloads } from './downloads';

/** Answers requests for what is made for an infra-env, and remembers their edges. */
@Injectable()
export class ImageResponder {
  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    private readonly images: DiscoveryImages,
    private readonly networkBoot: NetworkBootImages,
    private readonly files: FileResponder,
    private readonly downloads: Downloads,
  ) {}

  /** Takes the reply over. Throws RefusalError before anything is sent. */
  image(wanted: Omit<ImageRequest, 'baseUrl'>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const baseUrl = this.config.baseUrl ?? `${request.protocol}://${request.host}`;
    return this.send(
      () => this.images.make({ ...wanted, baseUrl }),
      { ...wanted, imageType: wanted.type },
      request,
      reply,
    );
  }

  /** As `image`, for the ramdisk of a network boot. */
  initrd(wanted: NetworkBootRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.send(() => this.networkBoot.initrd(wanted), { ...wanted, imageType: 'pxe-initrd' }, request, reply);
  }

  /** As `image`, for the ramdisk description of s390x, which is too small for an event of its own. */
  addressAndSize(wanted: NetworkBootRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.files.answer(() => this.networkBoot.addressAndSize(wanted), request, reply);
  }

  private send(
    make: () => Promise<SentFile>,
    { infraEnvId, imageType, version, architecture: arch }: NetworkBootRequest & { readonly imageType: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const facts = ({ size: bytes }: SentFile) => ({ infraEnvId, imageType, version, arch, bytes });
    return this.files.answer(make, request, reply, {
      started: (file) => this.downloads.record({ type: 'StartDownload', ...facts(file) }, request.ip),
      completed: (file) => this.downloads.record({ type: 'CompleteDownload', ...facts(file) }, request.ip),
    });
  }
}
