package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.SigningWire;
import io.cloudmw.proto.v1.SignReadsRequest;
import io.cloudmw.proto.v1.SignReadsResponse;
import io.cloudmw.proto.v1.StoreSigningGrpc;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/** The gRPC service by which coordinators get URLs for chunks in buckets, signed with this helper's credentials. */
public final class SigningService extends StoreSigningGrpc.StoreSigningImplBase {
    /** Full names of the methods that only members of the cluster may call. */
    public static final Set<String> MEMBERS_ONLY =
            Set.of(StoreSigningGrpc.getSignReadsMethod().getFullMethodName());

    /** Longest validity of a URL. */
    public static final Duration LONGEST_VALIDITY = Duration.ofHours(12);

    private final UrlSigner.LocalSigner signer;
    private final UnaryCalls calls;

    /** @param executor bounds concurrent calls, which may fetch credentials first */
    public SigningService(UrlSigner.LocalSigner signer, Executor executor) {
        this.signer = signer;
        this.calls = new UnaryCalls(executor);
    }

    @Override
    public void signReads(SignReadsRequest request, StreamObserver<SignReadsResponse> observer) {
        calls.answer(observer, () -> {
            Store store = FromWire.store(request.getStore());
            Duration asked = Duration.ofMillis(Math.max(1000, request.getValidityMillis()));
            Duration validity = asked.compareTo(LONGEST_VALIDITY) > 0 ? LONGEST_VALIDITY : asked;
            List<URI> urls = new ArrayList<>();
            for (ChunkId chunk : SigningWire.chunks(request)) {
                urls.add(signer.presign(store, chunk, validity)
                        .orElseThrow(() -> new CloudMwException(
                                ErrorCode.INVALID_ARGUMENT,
                                "store " + store.id() + ": not a bucket (expected: an S3 store)")));
            }
            return SigningWire.answer(urls, validity);
        });
    }
}
