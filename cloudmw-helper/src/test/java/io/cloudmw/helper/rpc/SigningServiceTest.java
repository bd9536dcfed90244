package io.cloudmw.helper.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.rpc.helper.HelperChannels;
import io.cloudmw.coordinator.rpc.helper.HelperUrlSigning;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.signing.SignedUrls;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.SigningWire;
import io.cloudmw.proto.v1.StoreSigningGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of a coordinator that has a helper sign URLs. */
final class SigningServiceTest {
    private static final MemberProofs PROOFS = new MemberProofs(ClusterSecret.of(new byte[32]), WallClock.system());
    private static final MemberProofs OTHERS =
            new MemberProofs(ClusterSecret.of(HexFormat.of().parseHex("01".repeat(32))), WallClock.system());
    private static final Store BUCKET = new Store(
            new StoreId("b"),
            "b",
            new Store.S3("bucket", "us-east-1", "http://127.0.0.1:1", true, "", new CredentialsReference.Profile("p")));
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** The requests that the signer got. */
    private final Set<Store> stores = ConcurrentHashMap.newKeySet();

    private final Set<Duration> validities = ConcurrentHashMap.newKeySet();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final HelperChannels controls = new HelperChannels(new RpcChannels(Optional.empty()), PROOFS);
    private volatile Optional<CloudMwException> failure = Optional.empty();
    private Server server;
    private HelperAddress helper;

    @BeforeEach
    void start() throws Exception {
        UrlSigner.LocalSigner signer = (store, chunk, validity) -> {
            if (failure.isPresent()) {
                throw failure.get();
            }
            stores.add(store);
            validities.add(validity);
            return Optional.of(url(chunk));
        };
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .intercept(Membership.server(PROOFS, SigningService.MEMBERS_ONLY))
                .intercept(VersionHandshake.server())
                .addService(new SigningService(signer, Runnable::run))
                .build()
                .start();
        String control = "127.0.0.1:" + server.getPort();
        helper = new HelperAddress(new HelperId("h1"), control, control);
    }

    @AfterEach
    void stop() {
        controls.close();
        channels.forEach(ManagedChannel::shutdownNow);
        server.shutdownNow();
    }

    private static URI url(ChunkId chunk) {
        return URI.create("https://bucket/" + chunk);
    }

    private static List<ChunkId> chunks(int count) {
        VersionId version = new VersionId("a".repeat(32));
        return IntStream.range(0, count)
                .mapToObj(index -> new ChunkId(version, index))
                .toList();
    }

    private SignedUrls sign(int count, Duration validity) throws CloudMwException {
        return new HelperUrlSigning(controls).sign(helper, BUCKET, chunks(count), validity, TIMEOUT);
    }

    @Test
    void helperSignsAllChunksInSeveralCalls() throws Exception {
        int count = 2 * SigningWire.MAX_URLS + 1;
        SignedUrls signed = sign(count, Duration.ofHours(6));
        assertThat(signed.urls()).hasSize(count);
        assertThat(signed.urls()).allSatisfy((chunk, url) -> assertThat(url).isEqualTo(url(chunk)));
        assertThat(signed.validity()).isEqualTo(Duration.ofHours(6));
        assertThat(stores).as("with its reference").containsExactly(BUCKET);
        assertThat(signed.toString()).doesNotContain("https://");
    }

    @Test
    void signedUrlIsValidForAtMostTwelveHours() throws Exception {
        assertThat(sign(1, Duration.ofDays(7)).validity()).isEqualTo(SigningService.LONGEST_VALIDITY);
        assertThat(validities).containsExactly(SigningService.LONGEST_VALIDITY);
    }

    @Test
    void signingWithoutCredentialsFails() {
        failure = Optional.of(new CloudMwException(ErrorCode.STORE_DENIED, "no credentials: profile p"));
        CloudMwException refused = catchThrowableOfType(CloudMwException.class, () -> sign(1, Duration.ofHours(1)));
        assertThat(refused.code()).isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(refused).hasMessageContaining("no credentials: profile p");
    }

    @Test
    void signingAtAHelperThatIsDownFails() {
        server.shutdownNow();
        CloudMwException refused = catchThrowableOfType(CloudMwException.class, () -> sign(1, Duration.ofHours(1)));
        assertThat(refused.code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
    }

    @Test
    void callsWithoutTheSecretOrForTooManyUrlsAreRefused() {
        assertThat(code(stub(Optional.empty()), 1)).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(code(stub(Optional.of(OTHERS)), 1)).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(stores).isEmpty();
        assertThat(code(stub(Optional.of(PROOFS)), SigningWire.MAX_URLS + 1)).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(stores).isEmpty();
    }

    private StoreSigningGrpc.StoreSigningBlockingStub stub(Optional<MemberProofs> proofs) {
        ManagedChannel channel = NettyChannelBuilder.forTarget(helper.control())
                .usePlaintext()
                .intercept(VersionHandshake.client())
                .build();
        channels.add(channel);
        StoreSigningGrpc.StoreSigningBlockingStub stub = StoreSigningGrpc.newBlockingStub(channel);
        return proofs.map(known -> stub.withInterceptors(Membership.client(known)))
                .orElse(stub);
    }

    private static ErrorCode code(StoreSigningGrpc.StoreSigningBlockingStub stub, int count) {
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> stub.signReads(SigningWire.request(BUCKET, chunks(count), Duration.ofHours(1))));
        return RpcErrors.fromStatus(refused, ErrorCode.HELPER_UNAVAILABLE, "helper")
                .code();
    }
}
