package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.signing.ReadSigner;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.SigningWire;
import io.cloudmw.core.wire.UnaryCalls;
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

/** URLs for chunks in buckets, signed with this helper's credentials, for its coordinators. */
public final class SigningService extends StoreSigningGrpc.StoreSigningImplBase {
    /** Full names of the methods that only members of the cluster may call. */
    public static final Set<String> MEMBERS_ONLY =
            Set.of(StoreSigningGrpc.getSignReadsMethod().getFullMethodName());

    /** No URL is good for longer. */
    public static final Duration MOST = Duration.ofHours(12);

    private final ReadSigner.Own signer;
    private final UnaryCalls calls;

    /** @param executor bounds the calls at once: credentials may have to be fetched first */
    public SigningService(ReadSigner.Own signer, Executor executor) {
        this.signer = signer;
        this.calls = new UnaryCalls(executor);
    }

    @Override
    public void signReads(SignReadsRequest request, StreamObserver<SignReadsResponse> observer) {
        calls.answer(observer, () -> {
            Store store = FromWire.store(request.getStore());
            Duration asked = Duration.ofMillis(Math.max(1000, request.getValidityMillis()));
            Duration validity = asked.compareTo(MOST) > 0 ? MOST : asked;
            List<URI> urls = new ArrayList<>();
            for (ChunkId chunk : SigningWire.chunks(request)) {
                urls.add(signer.presign(store, chunk, validity)
                        .orElseThrow(() -> new CloudMwException(
                                ErrorCode.INVALID_ARGUMENT, "store " + store.id() + " is no bucket")));
            }
            return SigningWire.answer(urls, validity);
        });
    }
}
