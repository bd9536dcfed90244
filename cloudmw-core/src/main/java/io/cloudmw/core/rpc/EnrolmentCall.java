package io.cloudmw.core.rpc;

import com.google.protobuf.ByteString;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.JoinProofs;
import io.cloudmw.core.security.JoinProofs.JoinProof;
import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.EnrolmentTrust;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.core.tls.TlsMaterial;
import io.cloudmw.proto.v1.EnrolRequest;
import io.cloudmw.proto.v1.EnrolResponse;
import io.cloudmw.proto.v1.IdentitiesGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.security.KeyPair;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The call by which a process gets a certificate for a new key. Blocks for at most {@value #DEADLINE_SECONDS} seconds,
 * on a connection of its own. Stateless; safe for any thread.
 */
public final class EnrolmentCall {
    static final int DEADLINE_SECONDS = 10;

    private EnrolmentCall() {}

    /**
     * Enrols a helper.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when one of the two does not know the join secret; {@code
     *     COORDINATOR_UNAVAILABLE}; {@code TLS_FAILED} when no TLS is spoken there
     */
    public static TlsMaterial helper(HostPorts coordinators, String helper, JoinProofs proofs) throws CloudMwException {
        KeyPair key = SigningRequest.newKey();
        SigningRequest request = SigningRequest.of(key);
        JoinProof proof = proofs.prove(helper, request.publicKey());
        EnrolResponse answer = call(
                coordinators,
                Set.of(),
                request(request)
                        .setJoin(io.cloudmw.proto.v1.JoinProof.newBuilder()
                                .setHelperId(helper)
                                .setMadeMillis(proof.madeMillis())
                                .setNonce(proof.nonce())
                                .setSignature(proof.signature()))
                        .build());
        proofs.verifyAnswer(proof, signed(answer), answer.getProof());
        return material(key, answer);
    }

    /**
     * Enrols a client.
     *
     * @param trusted the authorities that the client trusts already, which may be successors of the one that the token
     *     names
     * @throws CloudMwException {@code UNAUTHENTICATED} when the coordinator does not know the token, or it has expired;
     *     {@code TLS_FAILED} when the coordinator's authority is not the one that the token names; {@code
     *     COORDINATOR_UNAVAILABLE}
     */
    public static TlsMaterial client(HostPorts coordinators, AccessToken token, List<X509Certificate> trusted)
            throws CloudMwException {
        Set<String> pins = new HashSet<>();
        pins.add(token.authority());
        trusted.forEach(authority -> pins.add(Certificates.fingerprint(authority)));
        KeyPair key = SigningRequest.newKey();
        EnrolResponse answer = call(
                coordinators,
                pins,
                request(SigningRequest.of(key)).setToken(token.text()).build());
        return material(key, answer);
    }

    private static EnrolRequest.Builder request(SigningRequest request) {
        return EnrolRequest.newBuilder()
                .setPublicKey(ByteString.copyFrom(request.publicKey()))
                .setSignature(ByteString.copyFrom(request.signature()));
    }

    /** The certificates of an answer that its proof covers. */
    public static List<byte[]> signed(EnrolResponse answer) {
        List<byte[]> certificates = new ArrayList<>();
        answer.getChainList().forEach(one -> certificates.add(one.toByteArray()));
        answer.getAuthoritiesList().forEach(one -> certificates.add(one.toByteArray()));
        return certificates;
    }

    private static EnrolResponse call(HostPorts coordinators, Set<String> pins, EnrolRequest request)
            throws CloudMwException {
        ManagedChannel channel = RpcChannels.toEnrol(coordinators, EnrolmentTrust.context(pins))
                .disableServiceConfigLookUp()
                .directExecutor()
                .build();
        try {
            return IdentitiesGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .enrol(request);
        } catch (StatusRuntimeException e) {
            throw RpcErrors.fromStatus(e, ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator at " + coordinators);
        } finally {
            channel.shutdownNow();
        }
    }

    private static TlsMaterial material(KeyPair key, EnrolResponse answer) throws CloudMwException {
        try {
            return new TlsMaterial(
                    Optional.of(new CertifiedKey(key.getPrivate(), certificates(answer.getChainList()))),
                    certificates(answer.getAuthoritiesList()));
        } catch (CertificateException | IllegalArgumentException e) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION, "coordinator: certificates of its answer: " + Reasons.of(e), e);
        }
    }

    private static List<X509Certificate> certificates(List<ByteString> encoded) throws CertificateException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (ByteString one : encoded) {
            certificates.add(Certificates.decode(one.toByteArray()));
        }
        return certificates;
    }
}
