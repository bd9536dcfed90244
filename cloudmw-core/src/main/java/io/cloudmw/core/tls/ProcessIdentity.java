package io.cloudmw.core.tls;

import io.cloudmw.core.security.TokenBearer;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity in a process's certificate: a URI among its alternative names, {@code cloudmw://CLUSTER/ROLE/ID} or
 * {@code spiffe://TRUST-DOMAIN/cloudmw/CLUSTER/ROLE/ID}. That of a client with a token ends with the token's id.
 *
 * @param cluster the cluster's name
 * @param id a helper's id, a coordinator's name, or the subject for whom a client acts
 * @param token the id of the token by which a client got its certificate; empty: it came from a PKI
 */
public record ProcessIdentity(String cluster, ProcessRole role, String id, Optional<String> token) {
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}";
    private static final Pattern NAMES = Pattern.compile(NAME);
    private static final Pattern FORM = Pattern.compile("(?:cloudmw:/|spiffe://[a-z0-9._-]{1,255}/cloudmw)/(" + NAME
            + ")/(coordinator|helper|client)/(" + NAME
            + ")(?:/([0-9a-f]{16}))?");

    public ProcessIdentity {
        cluster = checked("cluster", cluster);
        id = checked("id", id);
    }

    /** An identity without a token. */
    public ProcessIdentity(String cluster, ProcessRole role, String id) {
        this(cluster, role, id, Optional.empty());
    }

    /**
     * Checks a name that is to be part of an identity.
     *
     * @param what the name's meaning, for the message
     * @throws IllegalArgumentException when it cannot be part of one
     */
    public static String checked(String what, String name) {
        if (!NAMES.matcher(name).matches()) {
            throw new IllegalArgumentException(what + ": \"" + name.replaceAll("\\p{C}", "?")
                    + "\" (expected: 1 to 128 of A-Za-z0-9._@+-, the first a letter or a digit)");
        }
        return name;
    }

    /** Parses a URI; empty when it is no identity of this form. */
    static Optional<ProcessIdentity> parse(String uri) {
        Matcher parts = FORM.matcher(uri);
        return parts.matches()
                ? Optional.of(new ProcessIdentity(
                        parts.group(1), role(parts.group(2)), parts.group(3), Optional.ofNullable(parts.group(4))))
                : Optional.empty();
    }

    private static ProcessRole role(String word) {
        return Arrays.stream(ProcessRole.values())
                .filter(role -> role.word().equals(word))
                .findFirst()
                .orElseThrow();
    }

    /** The URI in certificates of the cluster's own authority. */
    public String uri() {
        return holder() + token.map(known -> "/" + known).orElse("");
    }

    /** The identity without the token: what tokens of transfers are bound to. */
    public String holder() {
        return "cloudmw://" + cluster + "/" + role.word() + "/" + id;
    }

    /** A text for people, such as {@code helper h1}. */
    public String describe() {
        return role.word() + " " + id;
    }

    /** The bearer of tokens that come from this process; empty: over a connection in plain text. */
    public static TokenBearer bearer(Optional<ProcessIdentity> process) {
        return process.map(known -> new TokenBearer(Optional.of(known.holder()), known.role() != ProcessRole.CLIENT))
                .orElse(TokenBearer.UNKNOWN);
    }
}
