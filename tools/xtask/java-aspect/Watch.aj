/** Advice of every kind that changes how code and frames look: before, after, around, and with a join point object. */
public aspect Watch {
    static long seen;

    pointcut code() : !within(Watch);

    before() : code() && execution(*.new(..)) {
        seen++;
    }

    after() throwing(RuntimeException failure) : code() && execution(public * *(..)) {
        seen += failure.hashCode();
    }

    Object around() : code() && call(String Object+.toString()) {
        Object result = proceed();
        seen += thisJoinPoint.getArgs().length;
        return result;
    }

    after() returning : code() && set(!static !final int *) {
        seen--;
    }
}
