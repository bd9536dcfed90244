package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.WallClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The issuer and verifier of {@link TransferToken}s: HMAC-SHA256 over the claims with the cluster's secret. The
 * coordinator issues, and helpers verify without asking it. Expiry compares wall clocks: those of a cluster must agree
 * within a fraction of the token's life. Safe for any thread.
 */
public final class TransferTokens {
    /** The form of tokens for any bearer. */
    private static final byte FORMAT = 1;

    /** The form of tokens that are bound to a client, whose identity follows the path. */
    private static final byte BOUND = 2;

    private static final int SIGNATURE_BYTES = 32;

    private final ClusterSecret secret;
    private final WallClock clock;
    private final Supplier<Optional<String>> holder;

    /** An issuer of tokens for any bearer. */
    public TransferTokens(ClusterSecret secret, WallClock clock) {
        this(secret, clock, Optional::empty);
    }

    /**
     * @param holder the identity of the client for which this thread issues tokens; empty: any bearer
     */
    public TransferTokens(ClusterSecret secret, WallClock clock, Supplier<Optional<String>> holder) {
        this.secret = secret;
        this.clock = clock;
        this.holder = holder;
    }

    /** A token for these claims, bound to the client for which this thread works unless they name a holder. */
    public TransferToken issue(TransferClaims claims) {
        byte[] body = encode(claims.holder().isPresent() ? claims : claims.boundTo(holder.get()));
        byte[] token = Arrays.copyOf(body, body.length + SIGNATURE_BYTES);
        System.arraycopy(secret.sign(body, body.length), 0, token, body.length, SIGNATURE_BYTES);
        return TransferToken.of(token);
    }

    /**
     * The claims of a received token, whoever shows it.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when it was not issued with this secret, was changed, or has
     *     expired
     */
    public TransferClaims verify(byte[] token) throws CloudMwException {
        return verify(token, TokenBearer.TRUSTED);
    }

    /**
     * The claims of a token that this process shows.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} as {@link #verify(byte[])}, and when the token is bound to
     *     another client
     */
    public TransferClaims verify(byte[] token, TokenBearer bearer) throws CloudMwException {
        int bodyLength = token.length - SIGNATURE_BYTES;
        if (bodyLength < 1 || token.length > TransferToken.MAX_BYTES) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: missing or malformed");
        }
        if (!secret.verifies(token, bodyLength, Arrays.copyOfRange(token, bodyLength, token.length))) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: not issued by this cluster");
        }
        TransferClaims claims = decode(token, bodyLength);
        long late = clock.millis() - claims.expiresAtMillis();
        if (late >= 0) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: expired " + late + " ms ago");
        }
        if (claims.holder().isPresent()
                && !bearer.passesOn()
                && !claims.holder().equals(bearer.identity())) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: of another client");
        }
        return claims;
    }

    private static byte[] encode(TransferClaims claims) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(claims.holder().isPresent() ? BOUND : FORMAT);
            out.writeByte(rightBits(claims.rights()));
            out.writeLong(claims.expiresAtMillis());
            out.write(HexFormat.of().parseHex(claims.version().value()));
            out.writeUTF(claims.file().volume().value());
            out.writeUTF(claims.file().path());
            if (claims.holder().isPresent()) {
                out.writeUTF(claims.holder().get());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return bytes.toByteArray();
    }

    /** Decodes claims that this cluster signed: anything unexpected comes from another release. */
    private static TransferClaims decode(byte[] token, int length) throws CloudMwException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(token, 0, length))) {
            int format = in.readByte();
            if (format != FORMAT && format != BOUND) {
                throw new CloudMwException(
                        ErrorCode.UNAUTHENTICATED,
                        "token: format " + format + " (expected: " + FORMAT + ".." + BOUND + ")");
            }
            Set<TransferRight> rights = rights(in.readByte());
            long expiry = in.readLong();
            VersionId version = new VersionId(HexFormat.of().formatHex(in.readNBytes(16)));
            FilePath file = new FilePath(new VolumeName(in.readUTF()), in.readUTF());
            Optional<String> client = format == BOUND ? Optional.of(in.readUTF()) : Optional.empty();
            return new TransferClaims(rights, file, version, expiry, client);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: malformed", e);
        }
    }

    private static int rightBits(Set<TransferRight> rights) {
        return rights.stream().mapToInt(TransferRight::bit).sum();
    }

    private static Set<TransferRight> rights(int bits) {
        EnumSet<TransferRight> rights = EnumSet.noneOf(TransferRight.class);
        for (TransferRight right : TransferRight.values()) {
            if ((bits & right.bit()) != 0) {
                rights.add(right);
            }
        }
        return rights;
    }
}
