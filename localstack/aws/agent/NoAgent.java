/** LocalStack starts DynamoDB Local with an agent; this one does nothing. */
public final class NoAgent {
    private NoAgent() {}

    public static void premain(String arguments) {}
}
