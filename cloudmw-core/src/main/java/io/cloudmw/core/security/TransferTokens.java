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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The issuer and verifier of {@link TransferToken}s: HMAC-SHA256 over the claims. The coordinator issues, and helpers
 * verify without asking it. In plain text the cluster's secret signs. A token that is bound to a process is signed by the
 * key of its period ({@link TokenKeys}), which is derived from the secret. Expiry compares wall clocks: those of a
 * cluster must agree within a fraction of the token's life. Safe for any thread.
 */
public final class TransferTokens {
    /** The longest life of a token: its key ends one period later. */
    public static final Duration MAX_LIFE = TokenKeys.LIFE;

    /** The shortest period of a key. */
    public static final Duration SHORTEST_KEY_LIFE = TokenKeys.SHORTEST_LIFE;

    /** The form of tokens for any bearer. */
    private static final byte FORMAT = 1;

    /** The form of tokens that are bound to a process. */
    private static final byte BOUND = 2;

    /** The format and the time of issue, which tells the key. */
    private static final int BOUND_PREFIX_BYTES = 1 + Long.BYTES;

    private static final int SIGNATURE_BYTES = 32;

    private final ClusterSecret secret;
    private final TokenKeys keys;
    private final WallClock clock;
    private final Supplier<Optional<TokenHolder>> holder;
    private final Optional<RevokedHolders> revoked;

    /** An issuer of tokens for any bearer. */
    public TransferTokens(ClusterSecret secret, WallClock clock) {
        this(secret, MAX_LIFE, clock, Optional::empty);
    }

    /**
     * An issuer and verifier of bound tokens.
     *
     * @param keyLife the period of each key that signs bound tokens, the same in all processes of a cluster
     * @param holder the process for which this thread issues tokens; empty: any bearer
     */
    public TransferTokens(
            ClusterSecret secret, Duration keyLife, WallClock clock, Supplier<Optional<TokenHolder>> holder) {
        this(secret, new TokenKeys(secret, keyLife), clock, holder, Optional.empty());
    }

    private TransferTokens(
            ClusterSecret secret,
            TokenKeys keys,
            WallClock clock,
            Supplier<Optional<TokenHolder>> holder,
            Optional<RevokedHolders> revoked) {
        this.secret = secret;
        this.keys = keys;
        this.clock = clock;
        this.holder = holder;
        this.revoked = revoked;
    }

    /** The verifier of a process under TLS: it accepts bound tokens alone, and none of a revoked holder. */
    public TransferTokens boundAndNot(RevokedHolders others) {
        return new TransferTokens(secret, keys, clock, holder, Optional.of(others));
    }

    /** A token for these claims, bound to the process for which this thread works unless they name a holder. */
    public TransferToken issue(TransferClaims claims) {
        TransferClaims issued = claims.holder().isPresent() ? claims : claims.boundTo(holder.get());
        byte[] body = encode(issued);
        ClusterSecret signing =
                issued.holder().map(bound -> keys.at(bound.issuedMillis())).orElse(secret);
        byte[] token = Arrays.copyOf(body, body.length + SIGNATURE_BYTES);
        System.arraycopy(signing.sign(body, body.length), 0, token, body.length, SIGNATURE_BYTES);
        return TransferToken.of(token);
    }

    /**
     * The claims of a received token, whoever shows it.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when it was not issued with this secret, was changed, has expired
     *     or was revoked
     */
    public TransferClaims verify(byte[] token) throws CloudMwException {
        return verify(token, TokenBearer.TRUSTED);
    }

    /**
     * The claims of a token that this process shows.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} as {@link #verify(byte[])}, and when the token is bound to
     *     another process
     */
    public TransferClaims verify(byte[] token, TokenBearer bearer) throws CloudMwException {
        int bodyLength = token.length - SIGNATURE_BYTES;
        if (bodyLength < 1 || token.length > TransferToken.MAX_BYTES) {
            throw refused("missing or malformed");
        }
        if (!key(token, bodyLength).verifies(token, bodyLength, Arrays.copyOfRange(token, bodyLength, token.length))) {
            throw refused("not issued by this cluster");
        }
        TransferClaims claims = decode(token, bodyLength);
        long late = clock.millis() - claims.expiresAtMillis();
        if (late >= 0) {
            throw refused("expired " + late + " ms ago");
        }
        Optional<TokenHolder> bound = claims.holder();
        if (bound.isPresent()
                && !bearer.passesOn()
                && !bound.map(TokenHolder::identity).equals(bearer.identity())) {
            throw refused("of another process");
        }
        requireNotRevoked(claims);
        return claims;
    }

    /**
     * Checks claims again that were verified before.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when their holder lost rights since the token was issued
     */
    public void requireNotRevoked(TransferClaims claims) throws CloudMwException {
        if (revoked.isEmpty()) {
            return;
        }
        TokenHolder bound = claims.holder().orElseThrow(() -> refused("bound to no process (expected under TLS)"));
        if (revoked.get().isRevoked(bound)) {
            throw refused("revoked: " + bound.identity() + " lost rights after it was issued");
        }
    }

    /** The key with which a token must be signed. */
    private ClusterSecret key(byte[] token, int bodyLength) throws CloudMwException {
        if (token[0] != BOUND) {
            return secret;
        }
        if (bodyLength < BOUND_PREFIX_BYTES) {
            throw refused("malformed");
        }
        return keys.at(ByteBuffer.wrap(token).getLong(1), clock.millis());
    }

    private static byte[] encode(TransferClaims claims) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            Optional<TokenHolder> bound = claims.holder();
            out.writeByte(bound.isPresent() ? BOUND : FORMAT);
            if (bound.isPresent()) {
                out.writeLong(bound.get().issuedMillis());
                out.writeLong(bound.get().revision());
                out.writeUTF(bound.get().identity());
            }
            out.writeByte(rightBits(claims.rights()));
            out.writeLong(claims.expiresAtMillis());
            out.write(HexFormat.of().parseHex(claims.version().value()));
            out.writeUTF(claims.file().volume().value());
            out.writeUTF(claims.file().path());
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
                throw refused("format " + format + " (expected: " + FORMAT + ".." + BOUND + ")");
            }
            Optional<TokenHolder> bound = format == BOUND ? Optional.of(holder(in)) : Optional.empty();
            Set<TransferRight> rights = rights(in.readByte());
            long expiry = in.readLong();
            VersionId version = new VersionId(HexFormat.of().formatHex(in.readNBytes(16)));
            FilePath file = new FilePath(new VolumeName(in.readUTF()), in.readUTF());
            return new TransferClaims(rights, file, version, expiry, bound);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: malformed", e);
        }
    }

    private static TokenHolder holder(DataInputStream in) throws IOException {
        long issuedMillis = in.readLong();
        long revision = in.readLong();
        return new TokenHolder(in.readUTF(), issuedMillis, revision);
    }

    private static CloudMwException refused(String why) {
        return new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: " + why);
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
