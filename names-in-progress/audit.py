import subprocess,re,collections
ren=collections.defaultdict(set); defs=set()
import glob
for f in glob.glob('/tmp/w/names/OUT-*.tsv'):
    for l in open(f):
        k,file,ln,old,new,owner=(l.rstrip('\n').split('\t')+['-'])[:6]
        defs.add((file,old,new,k))
out=subprocess.run(['git','diff','-U0','house','--','*.rs'],capture_output=True,text=True).stdout
file=None; minus=[];plus=[]
def flush():
    global minus,plus
    for a,b in zip(minus,plus):
        ta=re.findall(r'\w+|\W',a); tb=re.findall(r'\w+|\W',b)
        if len(ta)!=len(tb): print('LEN',file,a.strip(),'->',b.strip()); continue
        for n,(x,y) in enumerate(zip(ta,tb)):
            if x!=y:
                prev=''.join(ta[:n]).rstrip()
                if re.search(r'\b(fn|struct|enum|trait|union|type|mod|const|static)$',prev):
                    if not any(d[0]==file and d[1]==x and d[2]==y for d in defs): print('DEF',file,x,y)
                elif re.match(r'^\s*$',''.join(ta[:n])) and re.match(r'^\s*(\{|\(|,|$| = \d)',''.join(ta[n+1:])) : print('VARIANT?',file,a.strip(),'->',b.strip())
    minus=[];plus=[]
for l in out.split('\n'):
    if l.startswith('+++ '): flush(); file=l[6:]
    elif l.startswith('--- '): flush()
    elif l.startswith('@@'): flush()
    elif l.startswith('-'): minus.append(l[1:])
    elif l.startswith('+'): plus.append(l[1:])
flush()
# fields: a name that is followed by a colon or comes after a dot without a call
out=subprocess.run(['git','diff','-U0','house','--','*.rs'],capture_output=True,text=True).stdout
file=None; minus=[];plus=[]
fnold={d[1] for d in defs if d[3]=='fn'}
def flush2():
    global minus,plus
    for a,b in zip(minus,plus):
        ta=re.findall(r'\w+|\W',a); tb=re.findall(r'\w+|\W',b)
        if len(ta)!=len(tb): continue
        for n,(x,y) in enumerate(zip(ta,tb)):
            if x!=y and x in fnold:
                after=''.join(ta[n+1:n+3]); before=''.join(ta[max(0,n-1):n])
                call=re.match(r'\(|::<|::',after)
                if not call and not re.search(r'::$',''.join(ta[max(0,n-2):n])) and not re.search(r'\b(fn|use)\b',''.join(ta[:n])): print('FIELD?',file,a.strip()[:120],'->',y)
    minus=[];plus=[]
for l in out.split('\n'):
    if l.startswith('+++ '): flush2(); file=l[6:]
    elif l.startswith('--- ') or l.startswith('@@'): flush2()
    elif l.startswith('-'): minus.append(l[1:])
    elif l.startswith('+'): plus.append(l[1:])
flush2()
