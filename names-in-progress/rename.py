#!/usr/bin/env python3
"""rename.py TSV...: renames functions and types of the checkout by what the compiler misses. DRY=1 only checks the definitions."""
import json,os,re,subprocess,sys,pathlib,collections
ROOT=pathlib.Path('/tmp/w/h'); os.chdir(ROOT)
renames=[]
for f in sys.argv[1:]:
    for line in open(f):
        line=line.rstrip('\n')
        if not line.strip(): continue
        k,file,ln,old,new,owner=(line.split('\t')+['-'])[:6]
        renames.append(dict(kind=k,file=file,line=int(ln),old=old,new=new,owner=re.sub(r'<.*','',owner)))
DEF={'fn':r'\bfn\s+(%s)\b','type':r'\b(?:struct|enum|trait|union|class|interface|record)\s+(%s)\b'}
def owner_at(lines,i):
    """The impl or trait that line i is in, by indentation."""
    ind=len(lines[i])-len(lines[i].lstrip())
    for j in range(i,-1,-1):
        l=lines[j]
        if not l.strip(): continue
        jind=len(l)-len(l.lstrip())
        if jind<ind and not l.lstrip().startswith(('//','#',')','where')):
            m=re.match(r'\s*(?:unsafe\s+)?impl\b(?:<.*?>)?\s+(?:.*\bfor\s+)?&?(?:mut\s+)?([\w:]+)',l)
            if m: return m.group(1).split('::')[-1]
            m=re.match(r'\s*(?:pub(?:\([^)]*\))?\s+)?trait\s+(\w+)',l)
            if m: return m.group(1)
            if re.match(r'\s*(pub(\([^)]*\))?\s+)?(mod|fn)\b',l) : return '-'
            if jind==0: 
                return '-'
    return '-'
bad=[]
if not os.environ.get('SKIPDEF'):
    for r in renames:
        p=ROOT/r['file']
        if not p.exists(): bad.append((r,'no file')); continue
        lines=p.read_text().split('\n'); pat=re.compile(DEF[r['kind']]%re.escape(r['old']))
        c=[i for i,l in enumerate(lines) if pat.search(l.split('//')[0])]
        if not c: bad.append((r,'no definition')); continue
        i=min(c,key=lambda i:abs(i+1-r['line']))
        if r['kind']=='fn':
            o=owner_at(lines,i)
            r['found']=o
            if r['owner']!=o and abs(i+1-r['line'])>0: bad.append((r,'owner %s line %d'%(o,i+1)))
            r['owner']=o
        m=pat.search(lines[i]); lines[i]=lines[i][:m.start(1)]+r['new']+lines[i][m.end(1):]
        if not os.environ.get('DRY'): p.write_text('\n'.join(lines))
    for b in bad: print('BAD',b)
if os.environ.get('DRY'): sys.exit()
by=collections.defaultdict(list)
for r in renames: by[r['old']].append(r)
env=dict(os.environ,RUSTC_WORKSPACE_WRAPPER='clippy-driver',RUSTFLAGS='-D warnings')
def text_of(span):
    b=open(span['file_name'],'rb').read(); return b[span['byte_start']:span['byte_end']].decode()
def module_matches(r,mod):
    parts=pathlib.Path(r['file']).with_suffix('').parts
    last=mod.split('::')[-1]
    names=[x for x in parts if x not in('src','mod','lib','main')]
    return names and names[-1]==last
def choose(old,msg,span,d):
    cands=by[old]
    # suggestions of the compiler
    news={r['new'] for r in cands}
    for c in d['children']:
        for s in c['spans']:
            sr=s.get('suggested_replacement')
            if sr and sr.strip() in news: return sr.strip()
    m=re.search(r"found for (?:mutable )?(?:reference|struct|enum|trait|union|type|unit struct|opaque type|associated type|type parameter|type alias|raw pointer)?\s*`([^`]*)`",msg)
    if m:
        ty=re.sub(r'<.*','',m.group(1).replace('&','').replace('mut ','').strip().replace("'_ ",'')).split('::')[-1].strip()
        c=[r for r in cands if r['kind']=='fn' and r['owner']==ty]
        if len({r['new'] for r in c})==1: return c[0]['new']
        # type may have been renamed
        c=[r for r in cands if r['kind']=='fn' and any(t['new']==ty and t['old']==r['owner'] and t['file']==r['file'] for t in renames if t['kind']=='type')]
        if len({r['new'] for r in c})==1: return c[0]['new']
        c=[r for r in cands if r['kind']=='fn' and any(t['new']==ty and t['old']==r['owner'] and os.path.dirname(t['file'])==os.path.dirname(r['file']) for t in renames if t['kind']=='type')]
        if len({r['new'] for r in c})==1: return c[0]['new']
    m=re.search(r"not a member of trait `([^`]*)`",msg)
    if m:
        c=[r for r in cands if r['owner']==m.group(1).split('::')[-1].split('<')[0]]
        if c: return c[0]['new']
    same=[r for r in cands if r['file']==span['file_name'] and r['kind']!='fn' or r['file']==span['file_name'] and r['owner']=='-']
    m=re.search(r"(?:in (?:module |crate )?|no `\w+` in )`([\w:]+)`",msg)
    if not m: m=re.search(r"unresolved imports? `([\w:]+)::\w+`",msg)
    if m:
        c=[r for r in cands if module_matches(r,m.group(1))]
        if len({r['new'] for r in c})==1: return c[0]['new']
    if len({r['new'] for r in same})==1: return same[0]['new']
    # the path before the name
    line=open(span['file_name']).read().split('\n')[span['line_start']-1]
    pre=line[:span['column_start']-1]
    m=re.search(r'(\w+)::$',pre)
    if m:
        c=[r for r in cands if module_matches(r,m.group(1)) or r['owner']==m.group(1)]
        if len({r['new'] for r in c})==1: return c[0]['new']
    text=open(span['file_name']).read()
    lines=text.split('\n')
    # the statement of a use, back to its beginning
    stmt=''
    for k in range(span['line_start']-1,-1,-1):
        stmt=lines[k]+'\n'+stmt
        if re.match(r'\s*(pub(\(.*\))? )?use ',lines[k]) or lines[k].rstrip().endswith((';','{','}')) and k<span['line_start']-1 and 'use ' not in lines[k]: break
    crate=re.split(r'/(?:src|tests|benches|examples)/',span['file_name'])[0]
    m=re.search(r'use (weighbridge_\w+)',stmt) if 'use ' in stmt else None
    pm=re.search(r'(weighbridge_\w+)::(?:\w+::)*$',pre)
    ext=(pm or m).group(1) if (pm or m) else None
    EXT={'weighbridge_'+k:v for k,v in dict(agent='agent/jvmti',control='agent/control',jvms='agent/jvms',outside='agent/outside',library='agent/library',bytecode='rewriter/bytecode',probes='rewriter/probes',rewriter='rewriter/jars',config='config',recording='reporter/recording',heapdump='reporter/heapdump',heapsql='reporter/heapsql',jfr='reporter/jfr',replay='reporter/replay',reporter='reporter/report',watch='reporter/watch').items()}
    if ext in EXT: crate=EXT[ext]
    c=[r for r in cands if r['file'].startswith(crate+'/')]
    if len({r['new'] for r in c})==1: return c[0]['new']
    # one of the new names is imported or defined in the file
    here=[r for r in (c or cands) if re.search(r'\b%s\b'%r['new'],text)]
    if len({r['new'] for r in here})==1 and d['message'].startswith(('cannot find','failed to resolve','use of undeclared')): return here[0]['new']
    # the path: modules of the import
    segs=set(re.findall(r'\w+',d['message']+' '+stmt if 'use ' in stmt else d['message']+' '+pre))
    c2=[r for r in (c or cands) if pathlib.Path(r['file']).stem in segs or (pathlib.Path(r['file']).stem=='mod' and pathlib.Path(r['file']).parent.name in segs)]
    if len({r['new'] for r in c2})==1: return c2[0]['new']
    mp=re.search(r'(\w+)::\w+`',d['message'])
    if mp:
        c5=[r for r in (c or cands) if mp.group(1) in pathlib.Path(r['file']).parts]
        if len({r['new'] for r in c5})==1: return c5[0]['new']
    # a sibling or child module of the file
    d0=os.path.dirname(span['file_name'])
    c3=[r for r in (c or cands) if os.path.dirname(r['file'])==d0]
    if len({r['new'] for r in c3})==1: return c3[0]['new']
    # through the crates that are known to be used in the file
    used=set(re.findall(r'weighbridge_\w+',text))
    c4=[r for r in cands if any(r['file'].startswith(EXT[u]+'/') for u in used if u in EXT)]
    if not c and len({r['new'] for r in c4})==1: return c4[0]['new']
    if len(news)==1: return cands[0]['new']
    return None
for rnd in range(40):
    out=subprocess.run(['cargo','check','--workspace','--all-features','--all-targets','--keep-going','--message-format','json'],capture_output=True,text=True,env=env)
    edits=collections.defaultdict(dict); unknown=[]; errors=0
    for line in out.stdout.splitlines():
        try: m=json.loads(line)
        except ValueError: continue
        if m.get('reason')!='compiler-message': continue
        d=m['message']
        if d['level']!='error': continue
        if not (d.get('code') and re.match(r'E\d+',d['code']['code'])):
            unknown.append((d['message'],[(s['file_name'],s['line_start']) for s in d['spans'] if s['is_primary']])); continue
        errors+=1
        done=False
        for span in d['spans']+[s for c in d['children'] for s in c['spans'] if s.get('suggested_replacement') is None]:
            s=span
            while s.get('expansion') and not os.path.exists(s['file_name']): s=s['expansion']['span']
            if not os.path.exists(s['file_name']) or s['file_name'].startswith('/'): continue
            s['file_name']=os.path.normpath(s['file_name'])
            try: t=text_of(s)
            except Exception: continue
            names=[t] if t in by else []
            if not names:
                # a path or a string that ends with the name, or a use list
                for w in set(re.findall(r'\b\w+\b',t)):
                    if w in by and len(t)<200 and re.search(r"`(?:[\w:]+::)?%s`"%w,d['message']): names=[w]
            linetext=open(s['file_name']).read().split('\n')[s['line_start']-1]
            if re.match(r'\s*(pub(\(.*\))? )?mod ',linetext): names=[]
            for w in names:
                new=choose(w,d['message'],s,d)
                if new is None: unknown.append((d['message'],s['file_name'],s['line_start'],t)); continue
                b=open(s['file_name'],'rb').read()[s['byte_start']:s['byte_end']].decode()
                mm=list(re.finditer(r'\b%s\b'%w,b))
                if not mm: continue
                mm=mm[-1]
                st=s['byte_start']+len(b[:mm.start()].encode())
                edits[s['file_name']][(st,st+len(w.encode()))]=new; done=True
        if not done: unknown.append((d['message'],[(s['file_name'],s['line_start']) for s in d['spans'] if s['is_primary']]))
    n=0
    for f,e in edits.items():
        b=open(f,'rb').read()
        for (st,en),new in sorted(e.items(),reverse=True):
            b=b[:st]+new.encode()+b[en:]; n+=1
        open(f,'wb').write(b)
    print('round',rnd,'errors',errors,'edits',n,'unknown',len(unknown),flush=True)
    if n==0:
        json.dump(unknown,open('/tmp/w/names/unknown.json','w'))
        for u in unknown[:40]: print('  ',u)
        break
