package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.signing.SignedUrls;
import io.cloudmw.proto.v1.SignReadsRequest;
import io.cloudmw.proto.v1.SignReadsResponse;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The messages of URLs that helpers sign for coordinators. Stateless. */
public final class SigningWire {
    /** The most URLs of one call: with session tokens in them a response stays below 4 MiB. */
    public static final int MAX_URLS = 256;

    private SigningWire() {}

    public static SignReadsRequest request(Store store, List<ChunkId> chunks, Duration validity) {
        return SignReadsRequest.newBuilder()
                .setStore(ToWire.store(store))
                .addAllChunkIds(chunks.stream().map(ChunkId::toString).toList())
                .setValidityMillis(validity.toMillis())
                .build();
    }

    /**
     * The chunks to sign URLs for.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when they are too many, or malformed
     */
    public static List<ChunkId> chunks(SignReadsRequest request) throws CloudMwException {
        if (request.getChunkIdsCount() > MAX_URLS) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "chunks: " + request.getChunkIdsCount() + " (expected: <= " + MAX_URLS + ")");
        }
        List<ChunkId> chunks = new ArrayList<>();
        for (String id : request.getChunkIdsList()) {
            chunks.add(FromWire.chunkId(id));
        }
        return chunks;
    }

    public static SignReadsResponse answer(List<URI> urls, Duration validity) {
        return SignReadsResponse.newBuilder()
                .addAllUrls(urls.stream().map(URI::toString).toList())
                .setValidityMillis(validity.toMillis())
                .build();
    }

    /**
     * The URLs of the requested chunks.
     *
     * @throws CloudMwException {@code PROTOCOL_VIOLATION} when the response has not one for each chunk
     */
    public static SignedUrls signed(List<ChunkId> asked, SignReadsResponse answer) throws CloudMwException {
        if (answer.getUrlsCount() != asked.size() || answer.getValidityMillis() < 0) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "signed: " + answer.getUrlsCount() + " URLs (expected: " + asked.size() + ")");
        }
        Map<ChunkId, URI> urls = new HashMap<>();
        for (int i = 0; i < asked.size(); i++) {
            try {
                urls.put(asked.get(i), URI.create(answer.getUrls(i)));
            } catch (IllegalArgumentException e) {
                // Without the URL, which is a secret.
                throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "signed: chunk " + asked.get(i) + ": no URL");
            }
        }
        return SignedUrls.of(urls, Duration.ofMillis(answer.getValidityMillis()));
    }
}
