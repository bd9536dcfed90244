package io.cloudmw.core.access;

import java.nio.file.Path;

/**
 * A reference to the credentials of a store. It is no secret: each coordinator and helper resolves it on its own
 * machine.
 */
public sealed interface CredentialsReference {
    /** The longest name, path, or id. */
    int MAX_CHARACTERS = 2048;

    /** The reference of a store without credentials of its own. */
    static CredentialsReference chain() {
        return new Chain();
    }

    /** The reference's text for people and logs, without the external id. */
    String describe();

    /** The reference without what only operators may see: the external id. */
    default CredentialsReference shown() {
        return this;
    }

    /** The AWS default chain: variables, properties, the default profile, container, instance. */
    record Chain() implements CredentialsReference {
        @Override
        public String describe() {
            return "the AWS default chain";
        }
    }

    /** A profile of the process's AWS configuration ({@code ~/.aws}). */
    record Profile(String name) implements CredentialsReference {
        public Profile {
            check("profile", name);
        }

        @Override
        public String describe() {
            return "profile " + name;
        }
    }

    /**
     * A role that the process assumes, with the credentials of the default chain.
     *
     * @param externalId the id that the role's trust policy demands; empty: none
     */
    record Role(String arn, String externalId) implements CredentialsReference {
        public Role {
            check("role", arn);
            if (!arn.matches("arn:[a-z0-9-]+:iam::[0-9]{12}:role/[\\w+=,.@/-]+")) {
                throw new IllegalArgumentException(
                        "role: \"" + arn + "\" (expected: arn:aws:iam::ACCOUNT:role/NAME, ACCOUNT of 12 digits)");
            }
            if (!externalId.matches("|[\\w+=,.@:/-]{2,1224}")) {
                throw new IllegalArgumentException("external id: " + externalId.length()
                        + " characters (expected: 2 to 1224 of A-Za-z0-9_+=,.@:/-)");
            }
        }

        @Override
        public String describe() {
            return "role " + arn + (externalId.isEmpty() ? "" : " with an external id");
        }

        @Override
        public CredentialsReference shown() {
            return new Role(arn, "");
        }

        @Override
        public String toString() {
            return describe();
        }
    }

    /** A file with keys on the process's machine: {@link CredentialsFile}. */
    record KeyFile(Path path) implements CredentialsReference {
        public KeyFile {
            check("credentials file", path.toString());
            if (!path.isAbsolute()) {
                throw new IllegalArgumentException("credentials file: " + path
                        + " (expected: an absolute path, because each process reads it on its own machine)");
            }
        }

        @Override
        public String describe() {
            return "file " + path;
        }
    }

    private static void check(String what, String text) {
        if (text.isBlank() || text.length() > MAX_CHARACTERS || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(what + ": \"" + text.replaceAll("\\p{Cntrl}", "?")
                    + "\" (expected: 1 to " + MAX_CHARACTERS + " characters, none of them a control character)");
        }
    }
}
