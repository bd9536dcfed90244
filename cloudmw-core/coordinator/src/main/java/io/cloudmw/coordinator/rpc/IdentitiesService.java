package io.cloudmw.coordinator.rpc;

import com.google.protobuf.ByteString;
import io.cloudmw.coordinator.identity.Enrolment;
import io.cloudmw.coordinator.rpc.audit.AuditTrail;
import io.cloudmw.coordinator.rpc.audit.Caller;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.security.JoinProofs.JoinProof;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.proto.v1.EnrolRequest;
import io.cloudmw.proto.v1.EnrolResponse;
import io.cloudmw.proto.v1.IdentitiesGrpc;
import io.grpc.stub.StreamObserver;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.Set;

/** The gRPC service that certifies the keys of processes. */
public final class IdentitiesService extends IdentitiesGrpc.IdentitiesImplBase {
    /** Methods that callers without a certificate may call. */
    public static final Set<String> OPEN =
            Set.of(IdentitiesGrpc.getEnrolMethod().getFullMethodName());

    private final Optional<Enrolment> enrolment;
    private final AuditTrail trail;
    private final UnaryCalls calls;

    /**
     * @param enrolment empty: the cluster has certificates of another authority, or none
     * @param trail has the certificates that are signed
     */
    public IdentitiesService(Optional<Enrolment> enrolment, AuditTrail trail, UnaryCalls calls) {
        this.enrolment = enrolment;
        this.trail = trail;
        this.calls = calls;
    }

    @Override
    public void enrol(EnrolRequest request, StreamObserver<EnrolResponse> answers) {
        calls.answer(answers, () -> answer(request));
    }

    private EnrolResponse answer(EnrolRequest request) throws CloudMwException {
        Enrolment authority = enrolment.orElseThrow(() -> new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                "the cluster has no authority of its own: processes need certificates of its PKI (tls.key,"
                        + " tls.certificate, tls.authorities)"));
        SigningRequest key = SigningRequest.of(
                request.getPublicKey().toByteArray(), request.getSignature().toByteArray());
        return switch (request.getProofCase()) {
            case JOIN -> {
                JoinProof proof = new JoinProof(
                        request.getJoin().getMadeMillis(),
                        request.getJoin().getNonce(),
                        request.getJoin().getSignature());
                EnrolResponse answer =
                        encoded(authority.helper(request.getJoin().getHelperId(), key, proof), request);
                yield answer.toBuilder()
                        .setProof(authority.answer(proof, EnrolmentCall.signed(answer)))
                        .build();
            }
            case TOKEN -> encoded(authority.client(request.getToken(), key), request);
            case PROOF_NOT_SET ->
                throw new CloudMwException(
                        ErrorCode.UNAUTHENTICATED, "the request has neither a join proof nor a token");
        };
    }

    private EnrolResponse encoded(Enrolment.Certified certified, EnrolRequest request) throws CloudMwException {
        trail.certified("Enrol", Caller.current(), request, certified.chain().get(0));
        EnrolResponse.Builder answer = EnrolResponse.newBuilder();
        for (X509Certificate one : certified.chain()) {
            answer.addChain(der(one));
        }
        for (X509Certificate one : certified.trusted()) {
            answer.addAuthorities(der(one));
        }
        return answer.build();
    }

    private static ByteString der(X509Certificate certificate) throws CloudMwException {
        try {
            return ByteString.copyFrom(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new CloudMwException(ErrorCode.INTERNAL, "certificate: " + Reasons.of(e), e);
        }
    }
}
