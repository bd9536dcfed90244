package io.cloudmw.coordinator.rpc.helper;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.signing.HelperUrlSigner;
import io.cloudmw.core.signing.SignedUrls;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.wire.SigningWire;
import io.cloudmw.proto.v1.SignReadsResponse;
import io.cloudmw.proto.v1.StoreSigningGrpc;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The calls that let helpers sign URLs, split into as many calls as the chunks need. Safe for any thread. */
public final class HelperUrlSigning implements HelperUrlSigner {
    private final HelperChannels channels;

    /** @param channels closed by the caller */
    public HelperUrlSigning(HelperChannels channels) {
        this.channels = channels;
    }

    @Override
    public SignedUrls sign(
            HelperAddress helper, Store store, Collection<ChunkId> chunks, Duration validity, Duration timeout)
            throws CloudMwException {
        List<ChunkId> all = List.copyOf(chunks);
        long endNanos = Ticker.system().nanos() + timeout.toNanos();
        Map<ChunkId, URI> urls = new HashMap<>();
        Duration granted = validity;
        try (HelperChannels.HelperChannel lease = channels.to(helper)) {
            for (int first = 0; first < all.size(); first += SigningWire.MAX_URLS) {
                List<ChunkId> some = all.subList(first, Math.min(all.size(), first + SigningWire.MAX_URLS));
                SignReadsResponse answer = StoreSigningGrpc.newBlockingStub(lease.channel())
                        .withDeadlineAfter(
                                Math.max(1, endNanos - Ticker.system().nanos()), TimeUnit.NANOSECONDS)
                        .signReads(SigningWire.request(store, some, validity));
                SignedUrls signed = SigningWire.signed(some, answer);
                urls.putAll(signed.urls());
                granted = signed.validity().compareTo(granted) < 0 ? signed.validity() : granted;
            }
        } catch (StatusRuntimeException e) {
            throw RpcErrors.fromStatus(e, ErrorCode.HELPER_UNAVAILABLE, "helper " + helper.id());
        }
        return SignedUrls.of(urls, granted);
    }
}
